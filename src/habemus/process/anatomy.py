"""What a class of processes is made of: its fields, its clauses, and what is wrong with it.

`dissect` reads a class once. From the annotations come snapshot, restore, diff and JSON, so the author of an algorithm
writes none of these; from the clauses come the tables that drivers look events up in. A class that breaks a rule of
the vocabulary is refused here, before it runs, in one sentence that names the class and the line.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from copy import deepcopy
from types import FunctionType
from typing import Annotated, Any, ClassVar, get_args, get_origin

from mypy_extensions import mypyc_attr

from habemus.process.clause import Clause
from habemus.process.message import Message
from habemus.process.misuse import MisuseError
from habemus.process.overrides import has_taken_off, take_off_overrides
from habemus.process.process import Detector, Host, Process
from habemus.process.purity import read_class, refuse_constructors
from habemus.process.reach import watch_surroundings
from habemus.process.shared import CONTAINERS, differs_unseen, refuse_hidden_state
from habemus.process.source import locate, own_annotations
from habemus.process.state import State

Snapshot = tuple[Any, ...]

MUTABLE = (*CONTAINERS, State)


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
        refuse_constructors(list(lineage(cls)))
        fields = list(fields_of(cls).values())
        overrides = take_off_overrides(list(lineage(cls)))
        self.parameters = {field.name: field for field in fields if field.parameter}
        self.fields = tuple([field.name for field in fields if not field.parameter])
        self.durable = tuple([field.name for field in fields if field.durable])
        self.fresh = [*fresh_defaults(cls, fields), *overrides.items()]
        refuse_hidden_state(cls, dict(self.fresh))
        reader = read_class(cls, list(lineage(cls)), set(self.fields), set(self.parameters))
        self.shared = watch_surroundings(cls, list(lineage(cls)), {*self.fields, *self.parameters})
        self.ordered = reader.ordered  # the fields whose dicts keep the order of insertion
        self.counts_pulses = reader.counts_pulses  # whether its pulse clause looks at the number of the pulse

        for declared in (cls.links_to, cls.links_from, cls.shown_field):
            if declared and declared not in self.fields:
                raise MisuseError(f"{locate(cls)} declares that {declared!r} is shown, but has no such field.")

        self.clauses = clauses_of(cls)
        self.messages: dict[Any, Clause] = {}
        self.timeouts: dict[str, Clause] = {}
        self.commands: dict[str, Clause] = {}
        self.indications: dict[Any, Clause] = {}
        self.requests: dict[Any, Clause] = {}
        self.events: dict[str, Clause] = {}
        self.guarded: list[Clause] = []
        for clause in self.clauses.values():
            self.file_clause(clause)
        data = [clause.data for clause in self.commands.values() if clause.data is not None]
        for message in [*self.messages, *self.indications, *self.requests, *data, *cls.carries]:
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
        elif clause.kind == "indication":
            table, key = self.indications, clause.key
        elif clause.kind == "request":
            table, key = self.requests, clause.key
        else:
            table, key = self.events, clause.kind
        if key in table:
            raise MisuseError(
                f"{locate(self.cls, clause.name)} has two clauses for {clause.trigger}: {table[key].name} and "
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

    def refuse_strays(self, process: Process) -> None:
        """Refuse state outside the declared fields, once clauses have run: what their source does not show."""
        for name in getattr(process, "__dict__", ()):
            if name not in self.fields and name not in self.parameters:
                raise MisuseError(
                    f"{locate(self.cls)} sets {name}, which is not a field: declare it, `{name}: ... = ...`."
                )
        refuse_hidden_state(self.cls, {name: getattr(process, name) for name in self.fields})

    def snapshot(self, process: Process) -> Snapshot:
        """The state as one hashable value."""
        if not self.ordered:
            return tuple([freeze(getattr(process, name)) for name in self.fields])
        return tuple(
            [
                freeze_in_order(getattr(process, name)) if name in self.ordered else freeze(getattr(process, name))
                for name in self.fields
            ]
        )

    def restore(self, process: Process, snapshot: Snapshot) -> None:
        """Put a process into a state taken by `snapshot`."""
        for name, value in zip(self.fields, snapshot, strict=True):
            setattr(process, name, thaw(value))

    def diff(self, before: Snapshot, after: Snapshot) -> dict[str, Any]:
        """The fields that differ, with their new values, ready for JSON."""
        changed: dict[str, Any] = {}
        for name, old, new in zip(self.fields, before, after, strict=True):
            if old is not new and old != new:
                plain = to_plain(new)
                if not isinstance(new, FrozenDict) or plain != to_plain(old):  # the order of its keys is not shown
                    changed[name] = plain
        return changed

    def state(self, process: Process) -> dict[str, Any]:
        """The state ready for JSON."""
        return {name: to_plain(getattr(process, name)) for name in self.fields}


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
        for name in [*fields, *own_annotations(base)]:
            if isinstance(vars(base).get(name), property | FunctionType | Clause):
                raise MisuseError(
                    f"{locate(base, name)} has a method {name} where the class it is made from has a field: rename it."
                )
        for name, hint in own_annotations(base).items():
            if get_origin(hint) is ClassVar or hint is ClassVar or str(hint).startswith("ClassVar"):
                continue
            if not has_default(base, name):
                raise MisuseError(
                    f"{locate(base, name)} has the field {name} without a default: give it one, `{name}: ... = ...`."
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
    return name in vars(cls) or has_taken_off(cls, name)


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
                clauses[name] = Clause(inherited.kind, inherited.key, member, inherited.data)
                clauses[name].name = name
    return clauses


def check_message(message: Any, cls: Any) -> None:
    """Refuse a message that is not a frozen dataclass of immutable fields."""
    if not (isinstance(message, type) and issubclass(message, Message)):
        raise MisuseError(f"{locate(cls)} has a clause for {message!r}, which is not a Message: subclass Message.")
    if not is_frozen(message):
        raise MisuseError(f"{locate(message)} can be changed after it was sent: declare it @dataclass(frozen=True).")
    if differs_unseen(message):
        raise MisuseError(f"{locate(message)} is not compared by all its fields: leave out compare, eq and __eq__.")
    for name, hint in field_types(message):
        if is_mutable(hint):
            raise MisuseError(
                f"{locate(message)} has the mutable field {name}: use tuple or frozenset, so that it can be hashed."
            )


def is_mutable(hint: Any) -> bool:
    """Whether values of this type can be changed, or hold some that can."""
    kind = get_origin(hint) or hint
    return (isinstance(kind, type) and issubclass(kind, MUTABLE)) or any(is_mutable(part) for part in get_args(hint))


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


def freeze_in_order(value: Any) -> Any:
    """The same as `freeze`, but a dict keeps the order of insertion, on which a clause may rely."""
    if isinstance(value, list):
        return FrozenList([freeze_in_order(item) for item in value])
    if isinstance(value, dict):
        return FrozenDict([(key, freeze_in_order(item)) for key, item in value.items()])
    return freeze(value)


def freeze(value: Any) -> Any:
    """A hashable equal of a field's value. Only the field itself is known to be used without regard to its order."""
    if isinstance(value, set):
        return FrozenSet(value)
    if isinstance(value, list):
        return FrozenList([freeze_in_order(item) for item in value])
    if isinstance(value, dict):
        try:
            keys = sorted(value)
        except TypeError:  # keys of several types have no order but that of insertion
            return freeze_in_order(value)
        return FrozenDict([(key, freeze_in_order(value[key])) for key in keys])
    if isinstance(value, State):
        return FrozenState((type(value), value.freeze()))
    return value


@mypyc_attr(native_class=False)
class FrozenSet(frozenset[Any]):
    """A set field in a snapshot."""


@mypyc_attr(native_class=False)
class FrozenList(tuple[Any, ...]):
    """A list field in a snapshot."""


@mypyc_attr(native_class=False)
class FrozenDict(tuple[Any, ...]):
    """A dict field in a snapshot: its items, sorted by key unless the order of insertion may matter."""


@mypyc_attr(native_class=False)
class FrozenState(tuple[Any, ...]):
    """A `State` in a snapshot: its class and what it froze to."""


def thaw(value: Any) -> Any:
    """The value that `frozen` was made from."""
    if isinstance(value, FrozenSet):
        return set(value)
    if isinstance(value, FrozenList):
        return [thaw(item) for item in value]
    if isinstance(value, FrozenDict):
        return {key: thaw(item) for key, item in value}
    if isinstance(value, FrozenState):
        return value[0].thaw(value[1])
    return value


def to_plain(value: Any) -> Any:
    """A value as JSON knows it; sets sorted."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Message):
        return {"type": type(value).__name__, **message_fields(value)}
    if isinstance(value, State):
        return value.to_plain()
    if isinstance(value, FrozenState):
        return thaw(value).to_plain()
    if isinstance(value, FrozenDict):
        return {str(key): to_plain(item) for key, item in sorted(value, key=lambda item: item[0])}
    if isinstance(value, dict):
        return {str(key): to_plain(value[key]) for key in sorted(value)}
    if isinstance(value, set | frozenset):
        return [to_plain(item) for item in sorted(value)]
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return str(value)


def message_fields(message: Message) -> dict[str, Any]:
    """The contents of a message ready for JSON; fields at their default are left out."""
    contents = {}
    for name, default in field_defaults(type(message)):
        value = getattr(message, name)
        if value != default:
            contents[name] = to_plain(value)
    return contents


_field_defaults: dict[Any, list[tuple[str, Any]]] = {}


def field_defaults(message: Any) -> list[tuple[str, Any]]:
    """The fields of a message type with their defaults (MISSING, which equals nothing, where there is none)."""
    known = _field_defaults.get(message)
    if known is None:
        known = _field_defaults[message] = [(field.name, field.default) for field in dataclasses.fields(message)]
    return known


def messages_of(anatomy: Anatomy) -> list[Any]:
    """The types of message that a layer may receive. A pulse does not say which: all that its module defines."""
    module = vars(sys.modules[anatomy.cls.__module__]) if "pulse" in anatomy.events else {}
    local = [m for m in module.values() if isinstance(m, type) and issubclass(m, Message) and is_frozen(m)]
    return [*anatomy.messages, *[message for message in local if message not in anatomy.messages]]


def carried_by(stack: Iterable[Anatomy]) -> list[Any]:
    """The types of message that travel within messages: those that classes declare, and all that these consist of."""
    found: list[Any] = []
    ahead = [kind for anatomy in stack for kind in (*messages_of(anatomy), *anatomy.cls.carries)]
    declared = {kind for anatomy in stack for kind in anatomy.cls.carries}
    met = set(ahead)
    while ahead:
        kind = ahead.pop(0)
        parts = [part for _, hint in field_types(kind) for part in message_types_in(hint)]
        found += [part for part in [*([kind] if kind in declared else []), *parts] if part not in found]
        ahead += [part for part in parts if part not in met]
        met |= set(parts)
    return found


def message_types_in(hint: Any) -> list[Any]:
    """The frozen messages that values of a type may consist of."""
    if isinstance(hint, type) and issubclass(hint, Message):
        return [hint] if is_frozen(hint) else []
    return [part for inner in get_args(hint) for part in message_types_in(inner)]


def assumes_reliable_links(anatomy: Anatomy) -> bool:
    """Whether a layer relies on its messages; a detector does not."""
    return not anatomy.cls.tolerates_loss and not issubclass(anatomy.cls, Detector)
