"""Random commands: each command with some of its own options, and for each option a value that may be right or wrong.

The options are read off the commands themselves, so a new one takes part at once. What a value may look like depends on
the name of the option; a value of another option, or nonsense, is always possible.
"""

from pathlib import Path
from random import Random

import typer

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.cli.commands import COMMANDS, command_line
from habemus.process import dissect


def words(text):
    return text.split()


NUMBERS = [*words("0 1 2 3 5 -1 -7 007 1.5 1e3 ² ٣ x nan inf 99999999999999999999999999 1_0"), "", " "]
NONSENSE = [*NUMBERS, *words("é -- - @ : = , / a=b {} [1 ' \" $(x)"), "x" * 300]
DELAYS = words("""
    unit constant:3 uniform:1:5 exponential:2 lognormal:5:1 exponential:1e-9 constant:1e3 constant uniform:1 uniform:5:1
    uniform:a:b exponential:0 exponential:nan exponential:inf exponential:-1 lognormal:1:1:1 lognormal:0:0
    lognormal:5:1000 constant:-1 constant:² ::: uniform::
""")
TIMES = [*words("0 1 5 30 -1 x ² 1.5 99999999999999999999999"), ""]
WHO = [*words("1 2 3 leader crashed paused 9 -1 x ²"), ""]
FILES = words("""
    empty.py ring.py ring.py:Ring ring.py:None broken.py:X junk.toml list.toml junk.json deep.json run.jsonl
""")
PATHS = words("""
    out.svg out.mmd out.txt out.shiviz out.gif nowhere/out.svg . out.jsonl out.toml out.json folder.svg
""")
ADDRESSES = words("""
    127.0.0.1:0 127.0.0.1 localhost:7001 0.0.0.0:1 [::1]:7001 ::1:7 :1 a:b 127.0.0.1:99999 10.0.0.1:7001
""")
VALUES = {
    "topology": words("ring complete star line grid torus hypercube tree random circle"),
    "order": words("best worst random sorted upside"),
    "ids": words("3,1,2 1 1,1 a , 1,,2 -1,2 1,2,3,4 99999999999999999999,1 2,1²"),
    "graph": [*FILES, "edges.txt", "loop.txt", "words.txt", "missing.txt", "."],
    "starters": words("all one any 0 2 99 1,2 1,1 1,77 , x ² -1"),
    "delay": DELAYS,
    "think": DELAYS,
    "hold": DELAYS,
    "workload": words("one-each poisson hot-spot all-at-once idle often"),
    "until": [*TIMES, *words("quiescence termination uniqueness mutual_exclusion soon")],
    "waiting-limit": [*NUMBERS, "declared"],
    "timing": words("async ordered bounded late"),
    "detector": words("perfect simultaneous eventual none"),
    "starts": words("first step late never"),
    "property": words("termination uniqueness agreement stability mutual_exclusion bounded_waiting completeness x"),
    "scenario": ["bully-flapping", "coordinator-three", "nothing", *FILES],
    "samples": ["samples.txt", "words.txt", "missing.txt", "."],
    "peers": words("1=127.0.0.1:7001,2=127.0.0.1:7002 1=a = 127.0.0.1:7001 dns:x dns::1 1=127.0.0.1:7001,"),
    "log": ["text", "json", "xml"],
    "where": words("""
        file:// file://locks file:///proc/locks file:///dev/null/x http://x 127.0.0.1 a:b :1 127.0.0.1:99999 x , file:///%00
        [::1 redis://x
    """),  # no voters that could be waited for
    "group": [*words("orders a/b .. é ² - habemus"), "", "x" * 300],
    "role": [*words("scheduler a/b é -"), "", "x" * 300],
    "to": [*words("web2 é -"), "", "x" * 300],
    "tls": words("a,b,c a ring.py,ring.py,ring.py ,, ."),
    "exercise": words("ring nothing . junk.toml list.toml ring.py ²"),
    "all": words(". missing folder.svg ring.py"),
    "language": ["en", "pt", "xx"],
    "out": PATHS,
}
KINDS = {  # options whose values look alike
    **dict.fromkeys(("diagram", "trace", "plot", "save", "csv", "output"), "out"),
    **dict.fromkeys(("listen", "advertise", "registry", "http"), "address"),
    **dict.fromkeys(("key-file", "http-token-file", "tls-cert", "tls-key", "tls-ca", "data"), "graph"),
}
LIMITS = {  # so that a command that happens to be right is over at once
    "simulate": ["--events", "300", "--until", "40"],
    "check": ["--states", "150", "--jobs", "1"],
    "compare": ["--seeds", "1", "--jobs", "1", "--until", "40"],
    "sweep": ["--seeds", "1", "--jobs", "1", "--n", "2"],
    "timeout": ["--seeds", "1", "--jobs", "1"],
    "quorum": ["--trials", "20"],
    "doctor": ["--for", "0.1"],
    "transfer": ["--wait", "0"],
}
ARGUMENTS = {  # what comes before the options, of commands that have more than algorithms
    "lock": [*words("backup sku/42 - é"), "", " ", "x" * 300, "a\nb"],
    "transfer": [*words("scheduler - é"), "", "x" * 300],
    "history": [*words("scheduler é"), ""],
    "museum": words("bully-takes-office-at-once broadcast-sync-takes-the-first bully nothing ²"),
    "grade": [*FILES, "missing.py", "ring.py:²", "."],
}
STARTED = [["true"], ["nowhere"], [""], ["."], ["a\x00b"], ["sh", "-c", "exit 3"], []]  # by lock and run, after --
SLOW = {"raft-figure", "detector-figure"}  # nothing limits these
GROUPS = {"lock", "run", "serve", "status", "members", "watch", "history", "transfer", "pause", "resume", "doctor"}
HEAVY = {  # options that make a command long although it is right
    "check": {"--all", "--all-graphs", "--all-orders", "--memory"},
    "timeout": {"--for"},
    "quorum": {"--simulate"},
}
LIGHTER = {"invitation": "bully"}  # to check: with crashes its few states take many seconds
NAMED = {"simulate", "check", "compare", "sweep", "scenario", "algorithms", "trace"}


class Grammar:
    """Draws commands."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.options = {name: read_options(name) for name in COMMANDS if name not in SLOW}
        self.groups = 0
        self.algorithms = [name for name in algorithm_names() if name not in ("raft", "raft-durable", "leased-group")]
        self.parameters = {name: list(dissect(find_algorithm(name)).parameters) for name in self.algorithms}

    def draw(self):
        """A command as a list of words."""
        choose = self.random.choice
        command = choose(["simulate"] * 6 + ["check"] * 3 + list(self.options))
        words, algorithm = [command], choose(self.algorithms)
        if command == "trace":
            words.append(choose(["merge", "validate", "x", "--x"]))
        if command in NAMED and self.random.random() < 0.97:
            own = self.random.random() < 0.15
            words.append(choose([*FILES, *NONSENSE, "bully-flapping"]) if own else algorithm)
        elif command in ARGUMENTS and self.random.random() < 0.95:
            words.append(choose(ARGUMENTS[command]))
        known = [option for option in self.options[command] if option[0] not in HEAVY.get(command, ())]
        for _ in range(choose([0, 1, 1, 2, 2, 3, 5])):
            name, is_flag = choose(known)
            words.append(name)
            if not is_flag and self.random.random() < 0.99:
                words.append(self.value(name.removeprefix("--").removeprefix("-"), algorithm))
        if self.random.random() < 0.03:
            words.insert(self.random.randrange(len(words) + 1), choose(NONSENSE))
        if command in GROUPS - {"serve"} and "--where" not in words:
            self.groups += 1
            words += ["--where", f"file://{Path.cwd()}/locks{self.groups}"]  # a group that no other command has changed
        if command == "check":
            words = [LIGHTER.get(word, word) for word in words]
        words += LIMITS.get(command, [])
        return [*words, "--", *choose(STARTED)] if command in ("lock", "run") else words

    def value(self, option, algorithm):
        choose = self.random.choice
        if self.random.random() < 0.05:
            return choose(NONSENSE)
        kind = KINDS.get(option, option)
        if kind in VALUES:
            return choose(VALUES[kind])
        if kind == "address":
            return choose(ADDRESSES)
        if kind in ("set", "bound"):
            name = choose([*self.parameters[algorithm], "term", "x", f"{algorithm}.x", ""])
            return f"{name}={choose([*NUMBERS, 'true', '[1, 2]', '{1 = 5}', '{', 'text', '1979-05-27'])}"
        if kind in ("layer", "algorithm"):
            return choose([*self.algorithms, "ring.py:Ring", "x"])
        if kind in ("crash", "recover", "pause", "resume"):
            return f"{choose(WHO)}{choose(['@', '@', '@', ''])}{choose(TIMES)}"
        if kind in ("cut", "heal"):
            return f"{choose(WHO)}{choose(['-', '-', '>', ''])}{choose([*WHO, 'all'])}@{choose(TIMES)}"
        if kind == "partition":
            return f"{choose(WHO)},{choose(WHO)}/{choose(WHO)}@{choose(TIMES)}"
        if kind in ("skew", "drift"):
            return f"{choose(WHO)}:{choose(NUMBERS)}@{choose(TIMES)}"
        if kind == "call":
            return f"{choose(WHO)}{choose(['', ':acquire', ':start', ':x'])}@{choose([*TIMES, *DELAYS])}"
        return choose(NUMBERS)


def read_options(command):
    """The options of a command: each name, and whether it takes no value."""
    group = typer.main.get_command(command_line([command]))
    found = group.commands[command]
    parts = list(found.commands.values()) if hasattr(found, "commands") else [found]
    parameters = [each for part in parts for each in part.params if each.param_type_name == "option"]
    return [(name, each.is_flag) for each in parameters for name in [*each.opts, *each.secondary_opts]]
