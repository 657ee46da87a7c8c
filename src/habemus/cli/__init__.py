"""The command line: `habemus`.

Exit status: 0 all promised properties hold, 1 one is violated, 2 wrong usage or input, 3 ran out of budget.
"""

from __future__ import annotations

import sys

from habemus.cli.exit_status import INTERRUPTED, MISTAKE, NO_QUORUM
from habemus.compilation import is_compiled
from habemus.version import VERSION
from habemus.words.language import PORTUGUESE, UnknownLanguageError, language, take_language


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a user's mistake becomes one sentence on stderr and status 2."""
    try:
        given = take_language(sys.argv[1:] if arguments is None else arguments)
    except UnknownLanguageError as error:
        return complain(str(error))
    if given[:1] == ["--version"]:
        print(f"habemus {VERSION}, kernel {'compiled' if is_compiled() else 'interpreted'}")
        return 0

    import typer

    from habemus.cli.commands import command_line

    try:
        status = command_line(given)(args=given or ["--help"], prog_name="habemus", standalone_mode=False)
    except typer.TyperException as error:
        return complain(error.format_message())
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone: nothing is left to say, nor anyone to say it to
        return 0
    except OSError as error:
        return complain(f"{error.filename or 'a file'}: {error.strerror}")
    except typer.Abort:
        status = INTERRUPTED
    except Exception as error:
        if not is_mistake(error):
            raise
        return complain(str(error.args[0]), status_of(error))
    if status == INTERRUPTED:
        print("habemus: stopped", file=sys.stderr)
    return status if isinstance(status, int) else 0


def is_mistake(error: Exception) -> bool:
    """Whether an error tells the user, in one sentence, what was wrong with the command or its input."""
    from habemus.catalogue import UnknownAlgorithmError
    from habemus.extras import MissingExtraError
    from habemus.grading.exercise import ExerciseError
    from habemus.network.errors import NetworkError
    from habemus.process import ClauseError, MisuseError
    from habemus.scenario import ScenarioError
    from habemus.service.errors import GroupError
    from habemus.trace import TraceError

    mistakes = (
        ClauseError,
        ExerciseError,
        GroupError,
        MissingExtraError,
        MisuseError,
        NetworkError,
        ScenarioError,
        TraceError,
        UnknownAlgorithmError,
    )
    return isinstance(error, mistakes)


def status_of(mistake: Exception) -> int:
    """A group without a quorum is nobody's mistake."""
    from habemus.service.errors import NoQuorum

    return NO_QUORUM if isinstance(mistake, NoQuorum) else MISTAKE


def complain(sentence: str, status: int = MISTAKE) -> int:
    if language() == PORTUGUESE:
        from habemus.cli.portuguese import say_refusal

        sentence = say_refusal(" ".join(sentence.split()))
    print("habemus: " + " ".join(sentence.split()), file=sys.stderr)
    return status
