"""What a submission may use. It is read before it is run, so that nothing in it can reach outside its processes.

It may import the vocabulary and a few pure modules, define classes and functions, and name constants. It may not use
names with two underscores, built-in functions that reach other code, or parts of a process that belong to its driver:
with them code could change its own grade. What clauses may do beyond that is judged when the class is dissected.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import habemus.process

PURE = {
    "__future__": {"annotations"},
    "collections.abc": {"Iterable", "Iterator", "Mapping", "Sequence"},
    "dataclasses": {"dataclass", "field", "replace"},
    "enum": {"Enum", "Flag", "IntEnum", "IntFlag", "StrEnum", "auto"},
    "functools": {"reduce"},
    "math": {"ceil", "comb", "floor", "inf", "isqrt", "log", "log2", "sqrt"},
    "typing": {
        *("Any", "Callable", "ClassVar", "Dict", "Final", "FrozenSet", "List", "Literal", "NamedTuple", "Optional"),
        *("Set", "Tuple", "TypeAlias", "Union"),
    },
    "habemus.process": {
        name for name in habemus.process.__all__ if name[0].isupper() or name.startswith(("upon", "when", "harm"))
    }
    | {"eventually", "invariant", "never"},
}
DRIVERS_OWN = {
    "Anatomy",
    "Claim",
    "Clause",
    "DurableFields",
    "Graph",
    "Handler",
    "Host",
    "Journal",
    "Layers",
    "Machine",
    "State",
}
BUILT_IN = frozenset(
    [
        *("breakpoint", "compile", "delattr", "dir", "eval", "exec", "exit", "getattr", "globals", "help", "input"),
        *("locals", "open", "quit", "setattr", "vars"),
    ]
)
OF_THE_DRIVER = frozenset(["host", "_layer", "_port", "indicate", "own_properties", "pass_down"])
TO_OTHER_CODE = frozenset(
    [
        *("ag_frame", "cr_frame", "cr_origin", "f_back", "f_builtins", "f_code", "f_globals", "f_locals", "format"),
        *("format_map", "func_globals", "gi_code", "gi_frame", "mro", "tb_frame", "tb_next"),
    ]
)
VALUES = frozenset(["Bound", "WaitingBound", "auto", "field", "frozenset", "range", "tuple"])
CONTAINERS = frozenset(["dict", "list", "set"])
MUTABLE = (ast.Call, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Lambda)


class ForbiddenMeansError(ValueError):
    """A submission uses what it may not use; the text says in which line."""


def refuse_forbidden_means(source: str, file: str, forbidden: list[str]) -> None:
    """Read a submission; `forbidden` are attributes that its exercise does not allow."""
    try:
        tree = ast.parse(source, file)
    except SyntaxError as error:
        raise ForbiddenMeansError(f"{file}:{error.lineno or 0} is not Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ForbiddenMeansError(f"{file} is not Python: {error or 'it is nested too deeply'}") from None
    tree.body = [node for node in tree.body if not is_main_block(node)]
    for body in [tree.body, *[node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]]:
        for statement in body:
            if not is_definition(statement):
                refuse(file, statement, "runs code when it is imported", "only define classes, functions and constants")
    refuse_shared_objects(file, tree)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in walk_with_quoted(tree, file):
        if isinstance(node, ast.Import):
            refuse(file, node, f"imports {node.names[0].name}", f"write `from ... import ...`; {allowed_imports()}")
        elif isinstance(node, ast.ImportFrom):
            check_import(file, node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            check_name(file, node, node.value, frozenset())
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            check_name(file, node, node.id, BUILT_IN)
        refuse_shared_state(file, node)
        for name in names_in(node):
            check_name(file, node, name, frozenset())
        for name in attributes_in(node):
            check_name(file, node, name, OF_THE_DRIVER | TO_OTHER_CODE | frozenset(forbidden))


def refuse_shared_state(file: str, node: ast.AST) -> None:
    """Refuse ways to keep something outside the fields of a process that the purity of clauses does not show."""
    if isinstance(node, ast.Name) and node.id == "self" and not isinstance(node.ctx, ast.Load):
        refuse(file, node, "changes self", "it is the process, and stays so")
    elif isinstance(node, ast.arguments):
        for default in [*node.defaults, *[each for each in node.kw_defaults if each is not None]]:
            if not isinstance(default, ast.Constant | ast.Name | ast.UnaryOp):
                refuse(file, default, f"has the default {ast.unparse(default)}", "all processes would share it")
    elif isinstance(node, ast.Module):
        for statement in node.body:
            for part in ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
                if isinstance(part, MUTABLE):
                    refuse(file, part, f"has the global {ast.unparse(part)}", "use tuples and frozen values, or fields")


def refuse_shared_objects(file: str, tree: ast.Module) -> None:
    """Refuse objects that all processes reach and could change: a process changes its own fields, nothing else."""
    processes = find_processes(tree)
    methods = {name for process in processes for name in method_names(process)}
    own = {id(store) for process in processes for method in process.body for store in stores_to_self(method)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and id(node) not in own:
            refuse(file, node, f"changes {ast.unparse(node)}", "only a process may change, and only its own fields")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in methods:
            if node.value.id in {process.name for process in processes}:
                refuse(file, node, f"calls {ast.unparse(node)}", "call it as self." + node.attr)
        elif isinstance(node, ast.Attribute) and node.attr == "leave" and not is_own_field(node):
            refuse(file, node, f"calls {ast.unparse(node)}", "call it as self.leave")  # which is watched
        elif isinstance(node, ast.ClassDef):
            if node.keywords:
                refuse(file, node, f"has {ast.unparse(node.keywords[0])}", "write a class without it")
            for statement in node.body:
                for part in ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
                    if is_shared(part, node in processes):
                        refuse(file, part, f"has the value {ast.unparse(part)}", "all processes would share it")


def find_processes(tree: ast.Module) -> list[ast.ClassDef]:
    """The classes that are made from those of the vocabulary, or from one another."""
    names = {"Detector", "Election", "Mutex", "Process"}
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id in names for base in node.bases
        ):
            names.add(node.name)
            found.append(node)
    return found


def method_names(process: ast.ClassDef) -> list[str]:
    return [node.name for node in process.body if isinstance(node, ast.FunctionDef)]


def stores_to_self(method: ast.stmt) -> list[ast.AST]:
    """Where a method changes fields of its process; not in functions within it that have a self of their own."""
    if not isinstance(method, ast.FunctionDef) or [each.arg for each in method.args.args[:1]] != ["self"]:
        return []
    if {ast.unparse(each) for each in method.decorator_list} & {"classmethod", "staticmethod"}:
        return []
    inner = [node for node in ast.walk(method) if isinstance(node, ast.arg) and node.arg == "self"]
    return [node for node in ast.walk(method) if is_own_field(node)] if len(inner) == 1 else []


def is_own_field(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def is_shared(part: ast.AST, in_process: bool) -> bool:
    """Whether a value in the body of a class is an object that remembers; a process has its own copy of each field."""
    if isinstance(part, ast.Call):
        made = part.func.id if isinstance(part.func, ast.Name) else ""
        return made not in VALUES and not (in_process and made in CONTAINERS)
    if isinstance(part, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return not in_process
    return isinstance(part, ast.GeneratorExp)


def is_main_block(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`, which is not run here."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "__name__ == '__main__'"


def is_definition(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return all(
            isinstance(part, ast.Name | ast.Tuple | ast.Store) for target in targets for part in ast.walk(target)
        )
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring, or ...
    return isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef | ast.Pass)


def walk_with_quoted(tree: ast.AST, file: str) -> Iterator[ast.AST]:
    """All nodes, and those of annotations in quotes, which are evaluated, too."""
    for node in ast.walk(tree):
        yield node
        for quoted in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            for part in ast.walk(quoted) if quoted is not None else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    try:
                        inner = ast.parse(part.value.strip(), mode="eval")
                    except (SyntaxError, ValueError):
                        refuse(file, part, f"has the annotation {part.value!r}", "write a type")
                    for each in ast.walk(inner):
                        yield ast.copy_location(each, part)


def names_in(node: ast.AST) -> list[str]:
    """All names in a node, read or bound, wherever the grammar has one: `as`, `case`, `except` and so on."""
    if isinstance(node, ast.Constant):
        return []
    values = [value for field, value in ast.iter_fields(node) if field != "module"]  # from __future__ import ...
    return [
        each for value in values for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]


def attributes_in(node: ast.AST) -> list[str]:
    """The names by which a node reaches into objects, or binds names."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    return [node.arg] if isinstance(node, ast.keyword | ast.arg) and node.arg is not None else []


def check_import(file: str, node: ast.ImportFrom) -> None:
    module = node.module or "."
    for alias in node.names:
        if alias.name in PURE.get(module, ()) and alias.name not in DRIVERS_OWN:
            continue
        what = f"imports {module}" if module not in PURE else f"imports {alias.name} from {module}"
        refuse(file, node, what, allowed_imports())


def allowed_imports() -> str:
    return f"a submission may use {', '.join(sorted(name for name in PURE if name[0] != '_'))}"


def check_name(file: str, node: ast.AST, name: str, refused: frozenset[str]) -> None:
    if "__" in name:
        refuse(file, node, f"has {name!r}", "two underscores lead outside the process")
    elif name in refused:
        refuse(file, node, f"uses {name}", "the exercise does not allow it")


def refuse(file: str, node: ast.AST, what: str, instead: str) -> None:
    raise ForbiddenMeansError(f"{file}:{getattr(node, 'lineno', 0)} {what}: {instead}")
