"""`habemus lab`: the page."""

from __future__ import annotations

from typing import Annotated

import typer


def lab_command(
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Where it listens.", show_default="8114, or a free one"),
    ] = None,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Whether to open the browser.")] = True,
    code: Annotated[bool, typer.Option("--code/--no-code", help="Whether pages may run code of their own.")] = True,
) -> int:
    """Open the lab: a page in the browser where coordination is seen, broken and understood."""
    from habemus.lab.server import serve

    def ready(address: str) -> None:
        print(f"The lab is at {address}\nCtrl-C ends it.", flush=True)
        if open:
            open_browser(address)

    return serve(port, code, ready)


def open_browser(address: str) -> None:
    """Show the page in the browser, where there is one to show it in."""
    import os
    import sys
    import webbrowser

    on_screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if on_screen:
        webbrowser.open(address)
