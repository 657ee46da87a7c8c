"""The engines: each grants locks with what people already have.

file.py       flock on this host; file_lock.py: the way to a lock; files.py: the files of a lock and their rules
              group_files.py, roster.py, history.py: who is there, and what happened
              watcher.py, inotify.py: the thread that waits for news of a directory
embedded.py   a group of its own voters; joining.py: who is one; embedded_lock.py, embedded_view.py: its locks, and what
              can be seen of it; lookout.py: who looks; chronicle.py: what happened; deaths.py: who has died here;
              loop_thread.py: the thread of its protocol
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from habemus.service.engine import Engine
from habemus.service.engines.file import FileEngine
from habemus.service.engines.files import default_directory
from habemus.service.errors import GroupError
from habemus.service.options import JoinOptions


def choose_engine(options: JoinOptions) -> Engine:
    """The engine that a URL asks for; without one, files on this host."""
    where = options.where
    if where is None or where.startswith("file:"):
        refuse_for_one_host(options)
    if where is None:
        return FileEngine(default_directory(options.name), options)
    if "://" not in where:
        from habemus.service.engines.embedded import EmbeddedEngine

        return EmbeddedEngine(options, where)
    url = urlsplit(where)
    if url.scheme != "file":
        raise GroupError(
            f"{where!r} has no engine: there is file:///DIRECTORY, nothing for this host alone, and "
            f"HOST:PORT,HOST:PORT,HOST:PORT for a group of its own voters"
        )
    directory = Path(unquote(url.path))
    if url.netloc or not directory.is_absolute() or directory == Path("/") or "\0" in url.path + str(directory):
        raise GroupError(f"{where!r} has no directory: file:///run/lock/orders has")
    return FileEngine(directory, options)


def refuse_for_one_host(options: JoinOptions) -> None:
    """Who gives what only a group on several hosts has would find out too late that it is alone on its host."""
    several = {"key_file": options.key_file, "tls": options.tls, "data": options.data, "voter=True": options.voter}
    given = [name for name, value in several.items() if value]
    if given:
        raise GroupError(
            f"{given[0]} is for a group on several hosts: give the addresses of its voters, as in "
            f"HOST:PORT,HOST:PORT,HOST:PORT"
        )
