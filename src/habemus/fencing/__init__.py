"""The checking half of fencing: whoever stores something refuses a token that is older than one it has seen.

    Marks               the rule itself, for a place of one's own to keep them
    MemoryFence         the highest tokens in the memory of one process
    SqlFence            in a table of the user's database, within the user's transaction: sqlite3, psycopg, SQLAlchemy
    FileFence           a file that only a holder with the newest token replaces
    FencingMiddleware   an ASGI application that answers 409 to a stale `Fencing-Token`

A token is claimed before the first read that a write depends on. A lock that is lost while its holder is paused is of
no use to anybody else before the next holder has claimed; from then on the old token is refused with StaleToken.
"""

from habemus.fencing.asgi import FencingMiddleware
from habemus.fencing.file import FileFence
from habemus.fencing.marks import Marks, MemoryFence
from habemus.fencing.sql import SqlFence
from habemus.service.errors import StaleToken

__all__ = ["FencingMiddleware", "FileFence", "Marks", "MemoryFence", "SqlFence", "StaleToken"]
