"""`python -m habemus` is the command `habemus`."""

import sys

from habemus.cli import main

if __name__ == "__main__":
    sys.exit(main())
