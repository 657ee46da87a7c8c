"""How the benchmarks' figures look."""

from __future__ import annotations

from typing import Any


def import_pyplot(**settings: Any) -> Any:
    """Pyplot, set to draw SVG that is the same every time; settings such as `axes.spines.left` may be added."""
    import matplotlib

    matplotlib.use("svg")
    style = {
        "svg.hashsalt": "habemus",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#888888",
        "xtick.color": "#888888",
        "ytick.color": "#888888",
    }
    matplotlib.rcParams.update({**style, **settings})
    from matplotlib import pyplot

    return pyplot
