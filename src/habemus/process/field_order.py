"""Whether a clause could rely on the order of what is in a field, read from its source.

A dict has the order in which it was filled, and a clause may rely on it. The checker takes two states for the same if
all that differs is the order of a dict's keys, but only if no clause can tell: it looks up, adds and removes keys,
counts them, sorts them, or takes them together in a way that has no order (a set, a smallest one, a sum). Whatever else
is done with the dict, the order counts, and is part of the state.

The order of a set is an accident: it depends on hashes and on what the set has held before. A clause that goes through
a set in that order is refused.
"""

from __future__ import annotations

import ast

LOOKUPS = frozenset(["get", "pop", "setdefault", "clear", "update", "__contains__"])
VIEWS = frozenset(["items", "keys", "values"])
SEQUENCES = frozenset(["list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed"])
WRITERS = frozenset(["str", "repr", "join", "choose"])
COMBINERS = frozenset(["copy", "difference", "intersection", "symmetric_difference", "union"])
QUESTIONS = frozenset([*COMBINERS, *VIEWS, "count", "endswith", "get", "index", "isdisjoint", "issubset", "startswith"])
ORDERLESS = frozenset(["len", "sorted", "min", "max", "sum", "any", "all", "set", "frozenset", "bool"])


def find_ordered(function: ast.AST, fields: set[str]) -> set[str]:
    """The fields that a function uses in a way in which order may matter."""
    parents = find_parents(function)
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in ("getattr", "vars"):
            return fields
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if node.attr in fields and not is_orderless(node, parents):
            found.add(node.attr)
    return found


def find_parents(function: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}


def find_hash_order(function: ast.AST, sets: set[str]) -> ast.expr | None:
    """Where a function goes through a set in the order of hashes: one of these fields, or one that it has just made."""
    parents = find_parents(function)
    variables = find_set_variables(function, sets)
    for node in ast.walk(function):
        if isinstance(node, ast.expr) and is_set(node, sets, variables) and is_gone_through(node, parents):
            return node
    return None


def find_set_variables(function: ast.AST, sets: set[str]) -> set[str]:
    """The variables of a function that hold a set, whenever they are assigned."""
    found: set[str] = set()
    others = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            if is_set(node.value, sets, found):
                found |= names
            else:
                others |= names
    return found - others


def is_set(node: ast.expr, sets: set[str], variables: set[str]) -> bool:
    """Whether an expression is a set: one of these fields or variables, a new one, or made from these."""
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and node.id in variables
    if isinstance(node, ast.Attribute):
        return node.attr in sets
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in COMBINERS and is_set(node.func.value, sets, variables)
        return isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
        return is_set(node.left, sets, variables) or is_set(node.right, sets, variables)
    return isinstance(node, ast.Set | ast.SetComp)


def is_gone_through(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether the elements of a set are taken one after the other, to an effect that may depend on the order."""
    parent = parents.get(node)
    if isinstance(parent, ast.For):
        return parent.iter is node
    if isinstance(parent, ast.comprehension):
        return not is_orderless(node, parents)
    if isinstance(parent, ast.Attribute):
        return parent.attr == "pop"
    if isinstance(parent, ast.Call):
        function = parent.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name == "send":
            return parent.args[:1] == [node]
        if name in ("min", "max", "sorted"):  # of those with the same key the first is taken
            return not is_orderless_call(node, parents)
        return name in WRITERS or (name in SEQUENCES and not is_orderless_call(parent, parents))
    if isinstance(parent, ast.Assign):
        return any(isinstance(target, ast.Tuple | ast.List) for target in parent.targets)
    return isinstance(parent, ast.Starred | ast.FormattedValue)


def is_orderless(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether what is done with a value does not depend on its order."""
    parent = parents.get(node)
    if isinstance(parent, ast.Subscript):
        return parent.value is node
    if isinstance(parent, ast.Compare):
        return True
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
        return True
    if isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node:
        return True
    if isinstance(parent, ast.Attribute):
        call = parents.get(parent)
        if not isinstance(call, ast.Call) or call.func is not parent:
            return False
        return parent.attr in LOOKUPS or (parent.attr in VIEWS and is_orderless(call, parents))
    if isinstance(parent, ast.comprehension):
        whole = parents[parent]
        if has_effects(whole):
            return False
        if isinstance(whole, ast.SetComp):
            return True
        return isinstance(whole, ast.ListComp | ast.GeneratorExp) and is_orderless_call(whole, parents)
    return is_orderless_call(node, parents)


def has_effects(node: ast.AST) -> bool:
    """Whether something happens while an expression is computed, as far as the names of methods show."""
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    return any(isinstance(function, ast.Attribute) and function.attr not in QUESTIONS for function in calls)


def is_orderless_call(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a value is handed to a function to which its order makes no difference."""
    call = parents.get(node)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in ORDERLESS:
        return False
    return all(keyword.arg in ("default", "reverse") or is_total(keyword.value) for keyword in call.keywords)


def is_total(key: ast.expr) -> bool:
    """Whether no two elements have the same key: it contains the element itself."""
    if not isinstance(key, ast.Lambda) or len(key.args.args) != 1 or not isinstance(key.body, ast.Tuple):
        return False
    element = key.args.args[0].arg
    return any(isinstance(part, ast.Name) and part.id == element for part in key.body.elts)
