"""What the author of `test_reach.py` keeps in another file: state that all processes share."""

SEEN: set[int] = set()


class Registry:
    seen: list[int] = []

    @classmethod
    def note(cls, pid: int) -> int:
        if pid not in cls.seen:
            cls.seen.append(pid)
        return len(cls.seen)


def tally(pid: int) -> int:
    SEEN.add(pid)
    return len(SEEN)
