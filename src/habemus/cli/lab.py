"""`habemus lab`: the page."""

from __future__ import annotations

from typing import Annotated

import typer


def lab_command(
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="The port to listen on.", show_default="8114, or a free one"),
    ] = None,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Whether to open the browser.")] = True,
    code: Annotated[
        bool, typer.Option("--code/--no-code", help="Whether the page may run the user's own code.")
    ] = True,
) -> int:
    """Open the lab: a page in the browser that runs, breaks and explains algorithms."""
    from habemus.extras import require

    require("habemus lab", "starlette", "uvicorn")

    from habemus.lab.server import serve

    def ready(address: str) -> None:
        print(f"The lab is at {address}\nCtrl-C ends it.", flush=True)
        if open:
            open_browser(address)

    return serve(port, code, ready)


def open_browser(address: str) -> None:
    """Open the page in the browser, if this machine has a screen."""
    import os
    import sys
    import webbrowser

    on_screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if on_screen:
        webbrowser.open(address)
