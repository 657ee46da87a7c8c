"""Whether the clauses of a class touch anything but their fields, read from its source.

A clause is a function of the process's fields and of what happens to it. What it keeps elsewhere (a class attribute
that all processes share, an undeclared attribute, a global of the module) no driver can save, restore or compare, and
the checker would judge states that no run has. What it takes from elsewhere (a clock, `random`, a file) differs from
run to run. Both are refused when the class is first used, with the line.

Methods and lambdas of the class are read, and the functions they call that are defined in the same package. A class
without a source file (made by `exec`) is not read; what it shares with others is compared after the steps, see
`reach`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from habemus.process.clause import Clause
from habemus.process.field_order import find_hash_order, find_ordered
from habemus.process.misuse import MisuseError
from habemus.process.outside import HIDDEN_WAYS, OUTSIDE, home_of
from habemus.process.reach import is_own
from habemus.process.shared import CONTAINERS
from habemus.process.source import class_definition, locate, parse_file, source_file

MUTATORS = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "intersection_update",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "setdefault",
        "sort",
        "symmetric_difference_update",
        "update",
        "__setitem__",
    ]
)
SET = re.compile(r"(Durable\[)?(\w+\.)*(frozen)?set\b", re.IGNORECASE)  # as an annotation

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def refuse_constructors(lineage: list[Any]) -> None:
    """Refuse a class that makes its processes by itself: drivers make them, and restore them, field by field."""
    for base in lineage:
        if "__slots__" in vars(base):
            raise MisuseError(f"{locate(base)} defines __slots__: leave it out, annotations declare its fields.")
        for name in ("__init__", "__new__"):
            if isinstance(vars(base).get(name), FunctionType | staticmethod):
                raise MisuseError(
                    f"{locate(base)} defines {name}, or is a dataclass: declare fields with defaults instead, "
                    f"`name: ... = ...`, and set in a clause what depends on the process."
                )


class Reader:
    """Reads the functions of a class and refuses the first line that touches what is not a field."""

    def __init__(self, cls: Any, lineage: list[Any], fields: set[str], parameters: set[str]) -> None:
        self.cls = cls
        self.lineage = lineage
        self.fields = fields
        self.parameters = parameters
        self.file = ""
        self.names: dict[str, Any] = {}
        self.ordered: set[str] = set()  # fields whose order of insertion, if they are dicts, may matter
        self.counts_pulses = False
        self.read: set[Any] = set()

    def read_class(self) -> None:
        pulse_clauses = {
            name
            for base in self.lineage
            for name, member in vars(base).items()
            if isinstance(member, Clause) and member.kind == "pulse"
        }
        sets = {name for base in self.lineage for name in find_sets(base)}
        for base in self.lineage:
            if base.__module__ == "habemus.process.process":  # Election, Mutex, Detector
                continue
            self.read_attributes(base)
            definition = class_definition(base)
            if definition is None:
                self.ordered |= self.fields
                self.counts_pulses = True
                continue
            self.file = source_file(base) or ""
            self.names = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
            self.names = {**self.names, **closure_of(base)}
            mangle_names(definition)
            for function in find_functions(definition):
                self.read_function(function, True)
                self.refuse_hash_order(function, sets)
                if getattr(function, "name", "") in pulse_clauses and uses_argument(function, 1):
                    self.counts_pulses = True

    def read_attributes(self, base: Any) -> None:
        """Refuse a mutable class attribute that is not declared as a field: all processes would share it."""
        declared = {*vars(base).get("__annotations__", {}), *self.fields, *self.parameters}
        for name, value in list(vars(base).items()):
            if name.startswith("__") or name in self.fields or name in self.parameters:
                continue
            if not isinstance(value, CONTAINERS) or name in declared or is_declaration(name, self.lineage, base):
                continue
            kind = type(value).__name__
            raise MisuseError(
                f"{self.locate_in(base, name)} has {name} without an annotation, so that all processes share "
                f"it: write `{name}: {kind}[...] = {write_default(value)}`."
            )

    def locate_in(self, base: Any, name: str) -> str:
        """The class with the line of an assignment in its body."""
        definition = class_definition(base)
        line = definition.lineno if definition is not None else 0
        for node in definition.body if definition is not None else []:
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                line = node.lineno
        file = source_file(base)
        return f"{base.__name__} ({Path(file).name}:{line})" if file and line else f"{base.__name__}"

    # Functions

    def read_function(self, function: Function, is_method: bool) -> None:
        arguments = [*function.args.posonlyargs, *function.args.args]
        me = arguments[0].arg if is_method and arguments else ""
        known = find_local_names(function)
        for default in [*function.args.defaults, *function.args.kw_defaults]:
            if is_mutable_default(default):
                self.refuse(function, "has a default argument that can be changed", "all processes share it; use None")
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        for statement in body:
            for node in walk_code(statement):
                self.read_node(node, me, known)
        self.ordered |= find_ordered(function, self.fields)

    def refuse_hash_order(self, function: Function, sets: set[str]) -> None:
        """Refuse to go through a field that is a set in an order that depends on hashes."""
        node = find_hash_order(function, sets & self.fields)
        if node is not None:
            text = ast.unparse(node)
            self.refuse(node, f"goes through {text}, a set, in the order of hashes", f"write `sorted({text})`")

    def read_node(self, node: ast.AST, me: str, known: set[str]) -> None:
        if isinstance(node, ast.Global):
            self.refuse(node, f"changes the global {node.names[0]}", "keep it in a field")
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.refuse_module(node, alias.name)
        elif isinstance(node, ast.ImportFrom):
            self.refuse_module(node, node.module or "")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            self.read_name(node)
        elif isinstance(node, ast.Attribute) and node.attr in ("__dict__", "__setattr__", "__delattr__"):
            self.refuse(node, f"uses {node.attr}", "a clause may not reach around declared fields; write `self.name`")
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            self.read_write(node, node, me, known)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in known:
            module = self.names.get(node.value.id)
            if isinstance(module, ModuleType) and is_own(module):
                self.follow_own(vars(module).get(node.attr))
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            self.read_change(node, node.value, me, known)
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr in MUTATORS:
                self.read_change(node, function.value, me, known)
            elif isinstance(function, ast.Name) and function.id == "next" and node.args:
                self.read_change(node, node.args[0], me, known)

    def read_name(self, node: ast.Name) -> None:
        """A global is read: refuse what lies outside the process; follow functions of the same package."""
        value = self.names.get(node.id)
        if node.id in HIDDEN_WAYS and (node.id not in self.names or node.id == "__builtins__"):
            self.refuse(node, f"uses {node.id}()", f"a clause may not touch {HIDDEN_WAYS[node.id]}")
        if isinstance(value, ModuleType):
            self.refuse_module(node, value.__name__)
            return
        if isinstance(value, Iterator):
            self.refuse(node, f"uses {node.id}, which all processes share and which remembers", "keep it in a field")
        if home_of(value) != "builtins":
            self.refuse_module(node, home_of(value))
        self.follow_own(value)

    def follow_own(self, value: Any) -> None:
        """Read a function of the author, and the methods of a class."""
        value = getattr(value, "__wrapped__", value)
        if isinstance(value, FunctionType):
            if same_package(value.__module__, self.cls.__module__) or is_own(sys.modules.get(value.__module__)):
                self.follow(value)
        elif isinstance(value, type) and is_own(sys.modules.get(value.__module__)):
            for member in list(vars(value).values()):
                self.follow_own(getattr(member, "__func__", member))

    def follow(self, function: Any) -> None:
        """Read a function that a clause calls."""
        if function in self.read:
            return
        self.read.add(function)
        file = function.__code__.co_filename
        tree = parse_file(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef | ast.Lambda) and first_line(node) == function.__code__.co_firstlineno:
                before = self.file, self.names
                self.file, self.names = file, {**function.__globals__, **cells_of(function)}
                self.read_function(node, False)
                self.file, self.names = before

    def read_write(self, node: ast.AST, target: ast.Attribute, me: str, known: set[str]) -> None:
        """An attribute is set: refuse one that is not a field of this process."""
        owner, name = target.value, target.attr
        if isinstance(owner, ast.Name) and owner.id == me:
            if name in self.parameters:
                self.refuse(node, f"sets {me}.{name}, a parameter", "the scenario sets it; keep a field of its own")
            elif name not in self.fields and not has_setter(self.cls, name):
                value = find_attribute(self.lineage, name)
                hint = f"{type(value).__name__} = {value!r}" if isinstance(value, bool | int | str) else "... = ..."
                self.refuse(node, f"sets {me}.{name}, which is not a field", f"declare it, `{name}: {hint}`")
        elif self.is_shared(owner, me, known):
            self.refuse(node, f"sets {ast.unparse(target)}, which all processes share", "keep it in a field")

    def read_change(self, node: ast.AST, owner: ast.expr, me: str, known: set[str]) -> None:
        """The contents of something are changed: refuse if it is no field."""
        if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name) and owner.value.id == me:
            if owner.attr in self.parameters:
                self.refuse(node, f"changes {me}.{owner.attr}, a parameter", "the scenario sets it; keep a field")
            elif owner.attr not in self.fields and isinstance(find_attribute(self.lineage, owner.attr), CONTAINERS):
                self.refuse(node, f"changes {me}.{owner.attr}, which all processes share", "declare it as a field")
        elif self.is_shared(owner, me, known):
            self.refuse(node, f"changes {ast.unparse(owner)}, which all processes share", "keep it in a field")

    def is_shared(self, owner: ast.expr, me: str, known: set[str]) -> bool:
        """Whether an expression is a global, the class, or part of one of these."""
        while isinstance(owner, ast.Attribute | ast.Subscript):
            if isinstance(owner, ast.Attribute) and owner.attr == "__class__":
                return True
            owner = owner.value
        if isinstance(owner, ast.Call):
            return isinstance(owner.func, ast.Name) and owner.func.id == "type"
        return isinstance(owner, ast.Name) and owner.id != me and owner.id not in known and owner.id in self.names

    # Refusing

    def refuse_module(self, node: ast.AST, module: str) -> None:
        parts = module.split(".")
        if parts[0] in OUTSIDE or ".".join(parts[:2]) in OUTSIDE:
            plain = parts[0].lstrip("_")
            instead = "use self.choose(...)" if plain in ("random", "secrets", "numpy") else "only fields and messages"
            self.refuse(node, f"uses {plain}", f"a clause may not look outside its process; {instead}")

    def refuse(self, node: ast.AST, what: str, instead: str) -> None:
        line = getattr(node, "lineno", 0)
        raise MisuseError(f"{self.cls.__name__} ({Path(self.file).name}:{line}) {what}: {instead}.")


def read_class(cls: Any, lineage: list[Any], fields: set[str], parameters: set[str]) -> Reader:
    """Read the source of a class: MisuseError for what clauses may not do; else what was found."""
    reader = Reader(cls, lineage, fields, parameters)
    reader.read_class()
    return reader


def find_functions(definition: ast.ClassDef) -> Iterator[Function]:
    """The methods and lambdas in the body of a class."""
    for node in definition.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            for decorator in node.decorator_list:
                yield from [part for part in ast.walk(decorator) if isinstance(part, ast.Lambda)]


def mangle_names(definition: ast.ClassDef) -> None:
    """Give attributes such as `self.__count` the names under which Python keeps them."""
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{definition.name.lstrip('_')}{node.attr}"


def first_line(function: ast.FunctionDef | ast.Lambda) -> int:
    """The line where a function begins: that of its first decorator, if it has one."""
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return min([function.lineno, *[decorator.lineno for decorator in decorators]])


def cells_of(function: Any) -> dict[str, Any]:
    """The variables of an enclosing function that a function uses."""
    names: tuple[str, ...] = getattr(getattr(function, "__code__", None), "co_freevars", ())
    found = {}
    for name, cell in zip(names, getattr(function, "__closure__", None) or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it has no value yet
            continue
    return found


def closure_of(base: Any) -> dict[str, Any]:
    """The variables of enclosing functions that the methods of a class use, but the class itself."""
    found: dict[str, Any] = {}
    for member in vars(base).values():
        found |= cells_of(member.function if isinstance(member, Clause) else member)
    found.pop("__class__", None)
    return found


def find_sets(base: Any) -> set[str]:
    """The fields of a class that are sets, by their annotation or their default."""
    hints = vars(base).get("__annotations__", {})
    annotated = {name for name, hint in hints.items() if SET.match(getattr(hint, "__name__", str(hint)))}
    return annotated | {name for name, value in vars(base).items() if isinstance(value, set | frozenset)}


def is_mutable_default(node: ast.expr | None) -> bool:
    """Whether a default argument is a list, a dict or a set."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("list", "dict", "set", "bytearray", "deque", "defaultdict", "Counter")
    return isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def uses_argument(function: Function, position: int) -> bool:
    """Whether a function looks at one of its arguments."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    if position >= len(arguments):
        return True
    name = arguments[position].arg
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(function))


def walk_code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that are run: not its annotations."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from walk_code(child)


def find_local_names(function: Function) -> set[str]:
    """The names that belong to a function: its parameters and what it assigns, nested functions included."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def is_declaration(name: str, lineage: list[Any], base: Any) -> bool:
    """Whether an attribute gives another value to what a base declares about its class, such as `small_times`."""
    kinds = [other for other in base.__mro__ if other is not base]
    return any(name in vars(other) for other in kinds)


def find_attribute(lineage: list[Any], name: str) -> Any:
    for base in lineage[::-1]:
        if name in vars(base):
            return vars(base)[name]
    return None


def has_setter(cls: Any, name: str) -> bool:
    member = find_attribute(list(reversed(cls.__mro__)), name)
    return isinstance(member, property) and member.fset is not None


def write_default(value: Any) -> str:
    return repr(value) if len(repr(value)) < 30 else "..."


def same_package(one: str, other: str) -> bool:
    return one.split(".")[0] == other.split(".")[0]
