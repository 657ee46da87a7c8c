"""The commands. Each is in a module of its own, which is imported when the command is called."""

from __future__ import annotations

from importlib import import_module

import typer

from habemus.cli.plain_values import PlainCommand, PlainGroup
from habemus.words.language import say_help

WORDS = "Leader election and mutual exclusion: watch it, break it, prove it, run it."

COMMANDS = {  # name -> module and function, in the order of `habemus --help`
    "algorithms": "algorithms:algorithms",
    "simulate": "simulate:simulate_command",
    "scenario": "scenario:scenario_command",
    "check": "check:check_command",
    "museum": "museum:museum_command",
    "sweep": "sweep:sweep_command",
    "compare": "compare:compare_command",
    "quorum": "quorum:quorum_command",
    "timeout": "timeout:timeout_command",
    "exercise": "exercise:exercise_command",
    "grade": "grade:grade_command",
    "lock": "lock:lock_command",
    "run": "lock:run_command",
    "serve": "serve:serve_command",
    "status": "group:status_command",
    "members": "group:members_command",
    "watch": "group:watch_command",
    "history": "group:history_command",
    "transfer": "group:transfer_command",
    "pause": "group:pause_command",
    "resume": "group:resume_command",
    "doctor": "doctor:doctor_command",
    "node": "node:node_command",
    "up": "up:up_command",
    "lab": "lab:lab_command",
    "trace": "trace:trace_app",
    "raft-figure": "raft_figure:raft_figure_command",
    "detector-figure": "detector_figure:detector_figure_command",
}


def command_line(arguments: list[str]) -> typer.Typer:
    """The command that is called; all commands if it is not one of these, or if help is asked for."""
    called = [name for name in COMMANDS if arguments[:1] == [name]]
    app = typer.Typer(cls=PlainGroup, help=say_help(WORDS), add_completion=not called, rich_markup_mode=None)
    app.callback()(habemus)
    for name in called or COMMANDS:
        module, _, function = COMMANDS[name].partition(":")
        command = getattr(import_module(f"habemus.cli.{module}"), function)
        if isinstance(command, typer.Typer):
            for each in command.registered_commands:
                each.cls = PlainCommand
            app.add_typer(command, name=name, cls=PlainGroup)
        else:
            app.command(name, cls=PlainCommand, help=say_help(" ".join((command.__doc__ or "").split())))(command)
    return app


def habemus(
    version: bool = typer.Option(False, "--version", help="Version and kernel."),
    language: str = typer.Option("en", "--language", help="The language of reports, diagrams and this help: en or pt."),
) -> None:
    pass  # `main` handles both before anything else is imported; here they are for --help
