"""Was that a run? The checker retraces a recorded trace step by step, and refuses a forged one.

The traces of real nodes are validated in the same way: write them with `habemus node --trace`, put them together with
`habemus trace merge`, and read the result here.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from habemus import Scenario, read_trace, simulate, validate_trace
from habemus.checking.answer.validation import NotARunError


def main() -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "run.jsonl")
        simulate(Scenario("chang-roberts"), trace=file)
        print(f"recorded: {validate_trace(read_trace(file))} steps, each as the algorithm would take it")

        # Process 3 claims an id that is not its own.
        file.write_text(file.read_text().replace('{"id":3}', '{"id":9}', 1))
        try:
            validate_trace(read_trace(file))
        except NotARunError as error:
            print(f"forged: {error}")


if __name__ == "__main__":
    main()
