"""The version of Habemus."""

VERSION = "0.1.0"
