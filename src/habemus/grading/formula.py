"""Bounds as a teacher writes them in the file of an exercise: `2 * n * (floor(log2(n)) + 1) + n`."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, TypeGuard

from habemus.process import harmonic

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "harmonic": harmonic,
    "log2": math.log2,
    "sqrt": math.sqrt,
}
NAMES = ("n", "m")
PARTS = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Constant, ast.Name, ast.Call, ast.Load)


def parse_formula(text: str) -> Callable[[int, int], float]:
    """The formula as a function of n processes and m links; ValueError says what is wrong with it."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        raise ValueError(f"{text!r} is not a formula, such as n * (n + 1) / 2") from None
    for node in ast.walk(tree):
        known = {*NAMES, *FUNCTIONS}
        if isinstance(node, ast.Name) and node.id not in known:
            raise ValueError(f"{text!r} has {node.id!r}; expected {', '.join(sorted(known))}")
        number = isinstance(node, ast.Constant) and type(node.value) not in (int, float)
        if is_power(node) and any(is_power(part) for part in ast.walk(node.right)):
            raise ValueError(f"{text!r} has a power of a power, which may take for ever")
        if number or not isinstance(node, PARTS) or (isinstance(node, ast.Call) and node.keywords):
            raise ValueError(f"{text!r} is not a formula, such as n * (n + 1) / 2")
    code = compile(tree, "formula", "eval")

    def evaluate(n: int, m: int) -> float:
        return float(eval(code, {"__builtins__": {}}, {**FUNCTIONS, "n": n, "m": m}))

    try:
        if not math.isfinite(evaluate(2, 1)):
            raise ValueError("it is no number")
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"{text!r} cannot be computed for n = 2: {error}") from None
    return evaluate


def is_power(node: ast.AST) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
