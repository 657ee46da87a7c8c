"""Texts, numbers and flags are converted here instead of by pydantic.

Typer has pydantic convert every value. That takes longer to import and to set up than a small run takes, and most
options need no more than `int(text)`. Whatever is not as plain as that still goes to pydantic, wrong values included:
the errors are the same.
"""

from __future__ import annotations

from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from habemus.words.language import say_help

NOT_PLAIN: Final = object()


class PlainCommand(TyperCommand):
    """A command whose plain values are converted without pydantic."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [spare_pydantic(parameter) for parameter in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """The same for a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [spare_pydantic(parameter) for parameter in super().get_params(ctx)]


def spare_pydantic(parameter: Any) -> Any:
    """The parameter, which from now on does without pydantic where it can."""
    with_pydantic = parameter.process_value

    def process_value(context: Any, value: Any) -> Any:
        plain = plain_value(parameter, value)
        if plain is NOT_PLAIN:
            return with_pydantic(context, value)
        return plain if parameter.callback is None else parameter.callback(context, parameter, plain)

    if "process_value" not in vars(parameter):
        parameter.process_value = process_value
        if getattr(parameter, "help", None):
            parameter.help = say_help(parameter.help)
    return parameter


def plain_value(parameter: Any, value: Any) -> Any:
    """What a value given for a parameter means, if it is right and plain."""
    info, annotation = parameter.type_descriptor.parameter_info, parameter.type_descriptor.annotation
    if info.parser is not None:
        return NOT_PLAIN
    if value is None:
        return NOT_PLAIN if parameter.required else () if parameter.multiple or parameter.nargs == -1 else None
    if annotation is str and isinstance(value, str):
        return value
    if annotation == list[str] and isinstance(value, tuple | list) and value:
        return list(value) if all(isinstance(item, str) for item in value) else NOT_PLAIN
    if annotation in (int, float):
        return plain_number(annotation, info, value)
    return value if annotation is bool and isinstance(value, bool) else NOT_PLAIN


def plain_number(annotation: Any, info: Any, value: Any) -> Any:
    """A number that is written in digits and within its bounds."""
    if isinstance(value, str) and value.removeprefix("-").replace(".", "0", annotation is float).isdecimal():
        value = annotation(value)
    if type(value) is not annotation:
        return NOT_PLAIN
    too_small = info.min is not None and value < info.min
    too_large = info.max is not None and value > info.max
    return NOT_PLAIN if too_small or too_large else value
