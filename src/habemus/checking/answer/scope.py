"""What a verdict covers, in words, and the question that is worth asking next."""

from __future__ import annotations

from habemus.checking.answer.assumptions import count_words
from habemus.checking.answer.questions import Question, make_small, settle
from habemus.checking.model.limits import BOUNDED, FIRST, LATE
from habemus.checking.model.semantics import Semantics
from habemus.process import Election
from habemus.scenario import Scenario, TopologySpec

OPTIONS = {
    **{name: f"--{name}" for name in ("delay", "detector", "mistakes", "crashes", "recoveries", "losses", "doubles")},
    **{name: f"--{name}" for name in ("reorders", "depth", "starts")},
    "alarms": "--timeouts",
}  # of `habemus check`, by the limit that they set


def describe_scope(question: Question, semantics: Semantics) -> list[str]:
    """The limits of a verdict: who starts, in which order the ids are, which faults there are, how many entries."""
    limits, instance = question.limits, semantics.instance
    found = []
    if any(issubclass(anatomy.cls, Election) for anatomy in instance.stack):
        found.append(describe_starters(question, semantics))
    if instance.topology.kind == "ring":
        found.append(f"ids {' '.join(map(str, instance.topology.ids))}")
    if instance.mutex_layer >= 0:
        found.append(
            "entries for ever" if limits.entries < 0 else f"{count_words(limits.entries, 'entry', 'entries')} each"
        )
    crashes = count_words(limits.crashes, "crash", "crashes") if limits.crashes else "no crashes"
    losses = count_words(limits.losses, "loss", "losses") if limits.losses else "no losses"
    return [*found, crashes, losses, "pulses" if instance.synchronous else limits.timing]


def describe_starters(question: Question, semantics: Semantics) -> str:
    limits, instance = question.limits, semantics.instance
    when = ""
    if limits.starts == LATE:
        when = ", perhaps late"
    elif limits.starts == FIRST and limits.timing == BOUNDED:
        when = " at once, before time passes"
    if limits.anybody:
        return f"any starters{when}"
    if len(instance.starters) == instance.n:
        return f"all start{when}"
    if not instance.starters:
        return "nobody starts"
    names = ", ".join(map(str, sorted(instance.starters)))
    return f"{names} {'starts' if len(instance.starters) == 1 else 'start'}{when}"


def suggest_question(
    question: Question, semantics: Semantics, sizes: list[int], instances: int, open_limits: set[str]
) -> str:
    """The command that asks what is worth asking after this question was answered, with all that was asked here."""
    options = spell_options(question, semantics, sizes, instances)
    if "--compact" not in open_limits:  # else the same is worth asking without it
        more = find_more(question, semantics, "--all-orders" in options or "--all-graphs" in options, open_limits)
        options |= dict(split_options(more)) if more else {"--n": f"{sizes[-1] + 1}"}
    spelled = [f"{key}{value}" if value[:1] in ("", "=") else f"{key} {value}" for key, value in options.items()]
    return " ".join([f"habemus check {question.scenario.algorithm}", *spelled])


def spell_options(question: Question, semantics: Semantics, sizes: list[int], instances: int) -> dict[str, str]:
    """The options by which the question was asked, where they are not the usual ones, and what each is set to."""
    limits, scenario = question.limits, question.scenario
    options = {"--n": f"{sizes[0]}..{sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"}
    plain, given = make_small(Scenario(scenario.algorithm, topology=TopologySpec(n=sizes[-1])), {})
    usual_timing = settle(plain, None, given)[1].timing
    plain, usual = settle(plain, limits.timing, given)
    if limits.timing != usual_timing:
        options["--timing"] = limits.timing
    for name, option in OPTIONS.items():
        if getattr(limits, name) != getattr(usual, name) and getattr(limits, name) != -1:
            options[option] = f"{getattr(limits, name)}"
    if limits.anybody or scenario.starters is not None:
        options["--starters"] = "any" if limits.anybody else ",".join(map(str, sorted(semantics.instance.starters)))
    if semantics.instance.has_requests and not question.forever:
        options["--entries"] = "any" if limits.entries < 0 else f"{limits.entries}"
    if not limits.fifo:
        options["--unordered"] = ""
    options |= {f"--bound {k}": f"={v}" for k, v in limits.bounds.items() if usual.bounds.get(k) != v}
    options |= {f"--set {k}": f"={v}" for k, v in scenario.parameters.items() if plain.parameters.get(k) != v}
    options |= {f"--property {name}": "" for name in question.properties}
    if instances > len(sizes):
        options["--all-orders" if semantics.instance.topology.kind == "ring" else "--all-graphs"] = ""
    return options


def split_options(text: str) -> list[tuple[str, str]]:
    """The options in a text; what `--bound` sets belongs to its name."""
    found = []
    for part in text.split("--")[1:]:
        name, _, value = part.strip().partition(" ")
        field, equals, most = value.partition("=")
        found.append((f"--{name} {field}", equals + most) if equals else (f"--{name}", value))
    return found


def find_more(question: Question, semantics: Semantics, is_complete: bool, open_limits: set[str]) -> str:
    """The option that widens the question: what a limit left open first; nothing if only the size is left."""
    limits, instance = question.limits, semantics.instance
    cls = instance.stack[-1].cls
    heeds = {name for anatomy in instance.stack for name in anatomy.events}
    for limit in sorted(open_limits):
        raised = raise_limit(limit)
        if raised:
            return raised
    if issubclass(cls, Election) and not limits.anybody and question.scenario.starters is None:
        return "--starters any"
    if cls.topology == "ring" and not is_complete and instance.n > 2:
        return "--all-orders"
    if cls.topology == "any" and not is_complete and instance.n <= 5:
        return "--all-graphs"
    if limits.timing == BOUNDED and limits.starts == FIRST and issubclass(cls, Election):
        return "--starts step"
    if not limits.crashes and ("suspect" in heeds or "recover" in heeds or cls.has_heartbeats):
        return "--crashes 1"
    if not limits.losses and cls.tolerates_loss:
        return "--losses 1"
    if instance.mutex_layer >= 0 and limits.entries == 1:
        return "--entries 2"
    return ""


def raise_limit(limit: str) -> str:
    """An option with a larger value: `--timeouts 2` becomes `--timeouts 3`."""
    words = []
    for word in limit.split():
        name, equals, value = word.rpartition("=")
        if value.isdigit():
            most = int(value)
            word = f"{name}{equals}{most * 10 if most >= 1000 else most + 1}"
        words.append(word)
    return " ".join(words)
