"""What a class of processes is made of: its fields, its clauses, and what is wrong with it.

`dissect` reads a class once. From the annotations come snapshot, restore, diff and JSON, so the author of an algorithm
writes none of these; from the clauses come the tables that drivers look events up in. A class that breaks a rule of
the vocabulary is refused here, before it runs, in one sentence that names the class and the line.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Annotated, Any, ClassVar, get_args, get_origin

from mypy_extensions import mypyc_attr

from habemus.process.clause import Clause
from habemus.process.message import Message
from habemus.process.process import Host, Process
from habemus.process.source import own_annotations, place

Snapshot = tuple[Any, ...]

MUTABLE = (list, set, dict, bytearray)


@mypyc_attr(native_class=False)
class MisuseError(TypeError):
    """An algorithm breaks a rule of the vocabulary; the text says where and what would be right."""


class Field:
    """One annotated field of an algorithm."""

    def __init__(self, name: str, hint: Any, durable: bool, parameter: bool) -> None:
        self.name = name
        self.hint = hint
        self.durable = durable
        self.parameter = parameter


class Anatomy:
    """A class of processes, taken apart."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        fields = list(fields_of(cls).values())
        self.parameters = {field.name: field for field in fields if field.parameter}
        self.fields = tuple([field.name for field in fields if not field.parameter])
        self.durable = tuple([field.name for field in fields if field.durable])
        self.fresh = fresh_defaults(cls, fields)

        self.clauses = clauses_of(cls)
        self.messages: dict[Any, Clause] = {}
        self.timeouts: dict[str, Clause] = {}
        self.commands: dict[str, Clause] = {}
        self.events: dict[str, Clause] = {}
        self.guarded: list[Clause] = []
        for clause in self.clauses.values():
            self.file_clause(clause)
        for message in self.messages:
            check_message(message, cls)

    def file_clause(self, clause: Clause) -> None:
        """Put a clause where drivers look for it; refuse a second one for the same trigger."""
        if clause.kind == "whenever":
            self.guarded.append(clause)
            return
        table: dict[Any, Clause]
        key: Any
        if clause.kind == "message":
            table, key = self.messages, clause.key
        elif clause.kind == "timeout":
            table, key = self.timeouts, clause.key
        elif clause.kind == "command":
            table, key = self.commands, clause.key
        else:
            table, key = self.events, clause.kind
        if key in table:
            raise MisuseError(
                f"{place(self.cls, clause.name)} has two clauses for {clause.trigger}: {table[key].name} and "
                f"{clause.name}; keep one."
            )
        table[key] = clause

    def create(self, host: Host, parameters: Mapping[str, Any]) -> Process:
        """A new process in its initial state."""
        process: Process = self.cls(host)
        for name, default in self.fresh:
            setattr(process, name, deepcopy(default))
        for name, value in parameters.items():
            setattr(process, name, value)
        return process

    def snapshot(self, process: Process) -> Snapshot:
        """The state as one hashable value."""
        return tuple([frozen(getattr(process, name)) for name in self.fields])

    def restore(self, process: Process, snapshot: Snapshot) -> None:
        """Put a process into a state taken by `snapshot`."""
        for name, value in zip(self.fields, snapshot, strict=True):
            setattr(process, name, thawed(value))

    def diff(self, before: Snapshot, after: Snapshot) -> dict[str, Any]:
        """The fields that differ, with their new values, ready for JSON."""
        return {
            name: plain(new)
            for name, old, new in zip(self.fields, before, after, strict=True)
            if old is not new and old != new
        }

    def state(self, process: Process) -> dict[str, Any]:
        """The state ready for JSON."""
        return {name: plain(getattr(process, name)) for name in self.fields}


_dissected: dict[Any, Anatomy] = {}


def dissect(cls: Any) -> Anatomy:
    """The anatomy of a class of processes, worked out once."""
    anatomy = _dissected.get(cls)
    if anatomy is None:
        if not (isinstance(cls, type) and issubclass(cls, Process)):
            raise MisuseError(f"{cls!r} is not a class of processes: subclass Election, Mutex, Detector or Process.")
        anatomy = _dissected[cls] = Anatomy(cls)
    return anatomy


def fields_of(cls: Any) -> dict[str, Field]:
    """The annotated fields of a class and its bases up to (not including) Process."""
    fields: dict[str, Field] = {}
    for base in lineage(cls):
        for name, hint in own_annotations(base).items():
            if get_origin(hint) is ClassVar or hint is ClassVar or str(hint).startswith("ClassVar"):
                continue
            if not has_default(base, name):
                raise MisuseError(
                    f"{place(base, name)} has the field {name} without a default: give it one, `{name}: ... = ...`."
                )
            marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
            fields[name] = Field(name, hint, "durable" in marks, "parameter" in marks)
    return fields


def lineage(cls: Any) -> Iterable[Any]:
    """The classes that make up an algorithm, most general first, without Process and what it stands on."""
    return [base for base in reversed(cls.__mro__) if base is not Process and issubclass(base, Process)]


def has_default(cls: Any, name: str) -> bool:
    """Whether the body of the class gives the field a value."""
    if hasattr(cls, "__mypyc_attrs__") and name in cls.__mypyc_attrs__ and "__annotations__" not in vars(cls):
        return True  # mypy --strict refuses to compile a read of a field that was never set
    return name in vars(cls)


def fresh_defaults(cls: Any, fields: list[Field]) -> list[tuple[str, Any]]:
    """The mutable defaults that interpreted classes would share between processes; compiled ones make them anew."""
    shared = []
    for field in fields:
        for base in cls.__mro__:
            default = vars(base).get(field.name)
            if isinstance(default, MUTABLE):
                shared.append((field.name, default))
                break
            if field.name in vars(base):
                break
    return shared


def clauses_of(cls: Any) -> dict[str, Clause]:
    """The clauses by method name. A plain method that overrides a clause takes over its trigger."""
    clauses: dict[str, Clause] = {}
    for base in lineage(cls):
        for name, member in list(vars(base).items()):
            if isinstance(member, Clause):
                member.name = name
                clauses[name] = member
            elif name in clauses and callable(member):
                inherited = clauses[name]
                clauses[name] = Clause(inherited.kind, inherited.key, member)
                clauses[name].name = name
    return clauses


def check_message(message: Any, cls: Any) -> None:
    """Refuse a message that is not a frozen dataclass of immutable fields."""
    if not (isinstance(message, type) and issubclass(message, Message)):
        raise MisuseError(f"{place(cls)} has a clause for {message!r}, which is not a Message: subclass Message.")
    if not is_frozen(message):
        raise MisuseError(f"{place(message)} can be changed after it was sent: declare it @dataclass(frozen=True).")
    for name, hint in field_types(message):
        if is_mutable(hint):
            raise MisuseError(
                f"{place(message)} has the mutable field {name}: use tuple or frozenset, so that it can be hashed."
            )


def is_mutable(hint: Any) -> bool:
    """Whether values of this type can be changed, or hold some that can."""
    return (get_origin(hint) or hint) in MUTABLE or any(is_mutable(part) for part in get_args(hint))


def is_frozen(message: Any) -> bool:
    """Whether a message type is a frozen dataclass."""
    settings = vars(message).get("__dataclass_params__")
    return settings is not None and bool(settings.frozen)


def field_types(message: Any) -> list[tuple[str, Any]]:
    """The fields of a message type, with their types as objects where they can be evaluated."""
    hints: dict[str, Any] = {}
    for base in reversed(message.__mro__):
        hints |= own_annotations(base)
    return [(field.name, hints[field.name]) for field in dataclasses.fields(message)]


def frozen(value: Any) -> Any:
    """A hashable equal of a field's value."""
    if isinstance(value, set):
        return FrozenSet(value)
    if isinstance(value, list):
        return FrozenList([frozen(item) for item in value])
    if isinstance(value, dict):
        return FrozenDict([(key, frozen(value[key])) for key in sorted(value)])
    return value


@mypyc_attr(native_class=False)
class FrozenSet(frozenset[Any]):
    """A set field in a snapshot."""


@mypyc_attr(native_class=False)
class FrozenList(tuple[Any, ...]):
    """A list field in a snapshot."""


@mypyc_attr(native_class=False)
class FrozenDict(tuple[Any, ...]):
    """A dict field in a snapshot: its items, sorted by key."""


def thawed(value: Any) -> Any:
    """The value that `frozen` was made from."""
    if isinstance(value, FrozenSet):
        return set(value)
    if isinstance(value, FrozenList):
        return [thawed(item) for item in value]
    if isinstance(value, FrozenDict):
        return {key: thawed(item) for key, item in value}
    return value


def plain(value: Any) -> Any:
    """A value as JSON knows it; sets sorted, so that the same state is always written the same way."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Message):
        return {"type": type(value).__name__, **message_fields(value)}
    if isinstance(value, FrozenDict):
        return {str(key): plain(item) for key, item in value}
    if isinstance(value, dict):
        return {str(key): plain(value[key]) for key in sorted(value)}
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(value)]
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value)


def message_fields(message: Message) -> dict[str, Any]:
    """The contents of a message ready for JSON; fields at their default are left out."""
    contents = {}
    for name, default in field_defaults(type(message)):
        value = getattr(message, name)
        if value != default:
            contents[name] = plain(value)
    return contents


_field_defaults: dict[Any, list[tuple[str, Any]]] = {}


def field_defaults(message: Any) -> list[tuple[str, Any]]:
    """The fields of a message type with their defaults (MISSING, which equals nothing, where there is none)."""
    known = _field_defaults.get(message)
    if known is None:
        known = _field_defaults[message] = [(field.name, field.default) for field in dataclasses.fields(message)]
    return known
