"""The command line called as a script calls it: its status and what it wrote."""

import json

from habemus.cli import main


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def as_json(capsys, *arguments):
    status, out, err = run(capsys, *arguments, "--json")
    assert err == ""
    return status, json.loads(out)
