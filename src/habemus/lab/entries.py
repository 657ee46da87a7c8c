"""The catalogue, the sources and the named scenarios, as the page lists them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.process import Anatomy, Election, dissect
from habemus.process.source import class_definition, documentation, source_file
from habemus.scenario import Place, Scenario, named_scenarios
from habemus.simulation.run import build_simulation, choices_of
from habemus.simulation.topology import KINDS

ORDERS = ("random", "sorted", "best", "worst")
SMALL = 4  # processes, of whom one is asked for its defaults
LABELS = re.compile(r"^(\S[\w ]{2,8}?) {2,}", re.MULTILINE)


def catalogue() -> dict[str, Any]:
    """Every algorithm, and where they may run."""
    shown_by: dict[str, list[str]] = {}
    for name, scenario in named_scenarios().items():
        shown_by.setdefault(scenario.algorithm, []).append(name)
    return {
        "algorithms": [entry(name, shown_by.get(name, [])) for name in algorithm_names()],
        "topologies": list(KINDS),
        "orders": ORDERS,
    }


def entry(name: str, scenarios: list[str]) -> dict[str, Any]:
    """One algorithm."""
    cls: Any = find_algorithm(name)
    anatomy = dissect(cls)
    return {
        "name": name,
        "kind": cls.kind,
        "topology": cls.topology,
        "model": cls.model,
        **essay(documentation(cls)),
        "parameters": parameters(name, anatomy),
        "commands": [*(["election"] if issubclass(cls, Election) else []), *anatomy.commands],
        "guarantees": cls.guarantees,
        "bounds": [{"case": bound.case, "formula": bound.formula} for bound in cls.bounds],
        "synchronous": "pulse" in anatomy.events,
        "scenarios": scenarios,
    }


def essay(text: str) -> dict[str, str]:
    """The head of an algorithm's file in its parts: title, idea, assumptions and what else is labelled, reference."""
    head, _, rest = text.partition("\n")
    title, _, motto = head.partition(": ")
    parts = {"title": title, "motto": motto, "idea": "", "reference": ""}
    for paragraph in rest.strip().split("\n\n"):
        labelled = LABELS.split(paragraph)
        if len(labelled) > 1:
            for label, words in zip(labelled[1::2], labelled[2::2], strict=True):
                parts[label.lower().replace(" ", "_")] = " ".join(words.split())
        else:
            place = "reference" if "assumes" in parts else "idea"
            parts[place] = f"{parts[place]}\n{' '.join(paragraph.split())}".strip()
    return {"assumes": "", "gives": "", "costs": "", "why_safe": parts.get("why_fair", ""), **parts}


def parameters(name: str, anatomy: Anatomy) -> list[dict[str, Any]]:
    """What can be set; a process tells the defaults, for a compiled class does not."""
    if not anatomy.parameters:
        return []
    some: Any = build_simulation(Scenario(name, topology=Place(n=SMALL)), None).nodes[0].process
    found = []
    for field in anatomy.parameters.values():
        default = getattr(some, field.name)
        choices = choices_of(field.hint)
        shape = {"name": field.name, "type": type(default).__name__, "default": default}
        found.append({**shape, "choices": choices} if choices else shape)
    return found


def source(name: str) -> dict[str, Any]:
    """The file of an algorithm, and where its clauses are."""
    cls: Any = find_algorithm(name)
    file = source_file(cls)
    if file is None:
        return {"name": name, "class": cls.__name__, "file": "", "text": "", "clauses": {}}
    clauses: dict[str, tuple[int, int]] = {}
    for base in reversed(cls.__mro__):
        if source_file(base) == file:
            clauses |= clause_lines(base, set(dissect(cls).clauses))
    text = Path(file).read_text(encoding="utf-8")
    return {"name": name, "class": cls.__name__, "file": Path(file).name, "text": text, "clauses": clauses}


def clause_lines(cls: Any, names: set[str]) -> dict[str, tuple[int, int]]:
    """The first and the last line of each clause, from its decorator on."""
    definition = class_definition(cls)
    return {
        node.name: (min([node.lineno, *(mark.lineno for mark in node.decorator_list)]), node.end_lineno or node.lineno)
        for node in (definition.body if definition else [])
        if isinstance(node, ast.FunctionDef) and node.name in names
    }


def scenario_list(named: dict[str, Scenario]) -> list[dict[str, Any]]:
    """The named scenarios, a few words each."""
    return [
        {
            "name": name,
            "title": scenario.title or name,
            "shows": scenario.shows,
            "algorithm": scenario.algorithm,
            "n": size(scenario.topology),
            "violated": scenario.expect.violated if scenario.expect is not None else [],
        }
        for name, scenario in named.items()
    ]


def size(place: Place) -> int:
    """How many processes there are."""
    return place.n or len(place.ids or {pid for edge in place.edges or [] for pid in edge}) or 8
