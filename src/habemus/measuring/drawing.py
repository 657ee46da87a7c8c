"""What all plots share: one style, and one SVG for light and for dark mode.

Matplotlib writes every colour into its element. So a style rule for each colour, which replaces it by its dark
counterpart, is enough to follow the reader's setting; PNG and PDF stay light.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from habemus.trace.diagram import DARK, LIGHT
from habemus.trace.palette import INSIDE, LEADER, MESSAGE_INKS, VIOLATION

GROUND, INK, SOFT, FAINT = (LIGHT[name] for name in ("ground", "ink", "soft", "faint"))
BLUE, PINK, GREY = (ink.line for ink in MESSAGE_INKS[:3])
GREEN, GOLD, VERMILLION = INSIDE, LEADER, VIOLATION

DARK_TWIN = (
    {LIGHT[name]: DARK[name] for name in LIGHT} | {ink.line: ink.dark for ink in MESSAGE_INKS} | {VERMILLION: "#F0803C"}
)
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "habemus", "svg.fonttype": "path", "font.size": 10, "savefig.bbox": "tight"}
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def make_figure(width: float, height: float) -> Any:
    """An empty figure in the light colours."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor=GROUND)
    FigureCanvasAgg(figure)
    return figure


def style_axes(axes: Any, x: str, y: str) -> None:
    """Set the labels; no box, a light grid."""
    axes.set_facecolor("none")
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0, labelcolor=INK)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


def set_title(axes: Any, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=10.5, color=INK, pad=14)


def format_power_of_ten(exponent: int) -> str:
    """10⁻²⁰, and 1 for 10⁰."""
    return f"10{str(exponent).translate(SUPERSCRIPT)}" if exponent else "1"


def save_figure(figure: Any, path: str | Path) -> None:
    """Write an SVG that follows light and dark mode, or a light PNG or PDF."""
    import matplotlib

    with matplotlib.rc_context(SETTINGS):
        if not str(path).endswith(".svg"):
            figure.savefig(path, dpi=150)
            return
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    rules = "".join(
        f'[style*="{what}: {light.lower()}"]{{{what}: {dark} !important}}\n'
        for light, dark in DARK_TWIN.items()
        for what in ("fill", "stroke")
    )
    sheet = f"<style>@media (prefers-color-scheme: dark) {{\n{rules}}}</style>\n</svg>"
    Path(path).write_text(drawn.getvalue().replace("</svg>", sheet), encoding="utf-8")
