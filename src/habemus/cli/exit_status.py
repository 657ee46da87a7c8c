"""Exit statuses that commands share. Those of `lock` and `run` that come from the command they run: supervisor.py."""

NO_QUORUM = 1
MISTAKE = 2
NOT_IN_TIME = 75  # EX_TEMPFAIL of sysexits.h, as flock -E is often used
INTERRUPTED = 130  # 128 + SIGINT
