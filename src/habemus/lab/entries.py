"""The catalogue, the sources and the named scenarios, as the page lists them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.process import Anatomy, Election, dissect
from habemus.process.source import class_definition, documentation, source_file
from habemus.scenario import Scenario, TopologySpec, named_scenarios
from habemus.scenario.stack import choices_of
from habemus.scenario.topology import KINDS
from habemus.simulation.run import build_simulation
from habemus.words.essays import portuguese_essay
from habemus.words.terms import terms_of

ORDERS = ("random", "sorted", "best", "worst")
SMALL = 4  # processes in the simulation from which parameters' defaults are read
LABELS = re.compile(r"^(\S[\w ]{2,8}?) {2,}", re.MULTILINE)


def describe_catalogue() -> dict[str, Any]:
    shown_by: dict[str, list[str]] = {}
    for name, scenario in named_scenarios().items():
        shown_by.setdefault(scenario.algorithm, []).append(name)
    return {
        "algorithms": [describe_algorithm(name, shown_by.get(name, [])) for name in algorithm_names()],
        "topologies": list(KINDS),
        "orders": ORDERS,
    }


def describe_algorithm(name: str, scenarios: list[str]) -> dict[str, Any]:
    cls: Any = find_algorithm(name)
    anatomy = dissect(cls)
    return {
        "name": name,
        "kind": cls.kind,
        "topology": cls.topology,
        "model": cls.model,
        **parse_essay(documentation(cls)),
        "motto_pt": parse_essay(portuguese_essay(name) or "")["motto"],
        "parameters": describe_parameters(name, anatomy),
        "commands": [*(["election"] if issubclass(cls, Election) else []), *anatomy.commands],
        "guarantees": cls.guarantees,
        "bounds": [{"case": bound.case, "formula": bound.formula} for bound in cls.bounds],
        "synchronous": "pulse" in anatomy.events,
        "scenarios": scenarios,
        "terms": terms_of(name),
    }


def parse_essay(text: str) -> dict[str, str]:
    """Split the docstring of an algorithm's file: title, idea, labelled paragraphs such as `Assumes`, reference."""
    head, _, rest = text.partition("\n")
    title, _, motto = head.partition(": ")
    parts = {"title": title, "motto": motto, "idea": "", "reference": ""}
    for paragraph in rest.strip().split("\n\n"):
        labelled = LABELS.split(paragraph)
        if len(labelled) > 1:
            for label, words in zip(labelled[1::2], labelled[2::2], strict=True):
                parts[label.lower().replace(" ", "_")] = " ".join(words.split())
        else:
            part = "reference" if "assumes" in parts else "idea"
            parts[part] = f"{parts[part]}\n{' '.join(paragraph.split())}".strip()
    return {"assumes": "", "gives": "", "costs": "", "why_safe": parts.get("why_fair", ""), **parts}


def describe_parameters(name: str, anatomy: Anatomy) -> list[dict[str, Any]]:
    """Describe what can be set. The defaults come from a process, because a compiled class does not have them."""
    if not anatomy.parameters:
        return []
    some: Any = build_simulation(Scenario(name, topology=TopologySpec(n=SMALL)), None).nodes[0].process
    found = []
    for field in anatomy.parameters.values():
        default = getattr(some, field.name)
        choices = choices_of(field.hint)
        shape = {"name": field.name, "type": type(default).__name__, "default": default}
        found.append({**shape, "choices": choices} if choices else shape)
    return found


def read_source(name: str) -> dict[str, Any]:
    """Read the file of an algorithm, then those of the algorithms it is a variant of, and locate its clauses."""
    cls: Any = find_algorithm(name)
    text = ""
    begun: dict[str, int] = {}  # in which line each file begins
    clauses: dict[str, tuple[int, int]] = {}
    for base in cls.__mro__:
        file = source_file(base) if not base.__module__.startswith("habemus.process") else None
        if file is not None and file not in begun:
            heading = f"\n\n# {Path(file).name}\n\n" if begun else ""
            begun[file] = (text + heading).count("\n")
            text += heading + Path(file).read_text(encoding="utf-8")
        if file is not None:
            for clause, (first, last) in locate_clauses(base, set(dissect(cls).clauses) - set(clauses)).items():
                clauses[clause] = (first + begun[file], last + begun[file])
    own = source_file(cls)
    return {
        "name": name,
        "class": cls.__name__,
        "file": Path(own).name if own is not None else "",
        "text": text,
        "clauses": clauses,
    }


def locate_clauses(cls: Any, names: set[str]) -> dict[str, tuple[int, int]]:
    """Find the first and the last line of each clause, its decorators included."""
    definition = class_definition(cls)
    return {
        node.name: (min([node.lineno, *(mark.lineno for mark in node.decorator_list)]), node.end_lineno or node.lineno)
        for node in (definition.body if definition else [])
        if isinstance(node, ast.FunctionDef) and node.name in names
    }


def list_scenarios(named: dict[str, Scenario]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "title": scenario.title or name,
            "shows": scenario.shows,
            "algorithm": scenario.algorithm,
            "terms": [*terms_of(name), *terms_of(scenario.algorithm)],
            "layers": [layer.algorithm for layer in scenario.layers],
            "n": count_processes(scenario.topology),
            "violated": scenario.expect.violated if scenario.expect is not None else [],
        }
        for name, scenario in named.items()
    ]


def count_processes(topology: TopologySpec) -> int:
    return topology.n or len(topology.ids or {pid for edge in topology.edges or [] for pid in edge}) or 8
