"""Habemus: leader election and mutual exclusion. Write a coordination algorithm once; watch it, break it, prove it, run it."""

from __future__ import annotations

from habemus.version import VERSION as __version__

__all__ = ["__version__"]
