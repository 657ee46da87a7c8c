"""What a worker may do to the machine that it runs on: as little as the system can enforce.

Where the kernel has user namespaces (Linux), a worker has no network and no sockets, sees the disk read-only but for
its own small folder, and sees no process but its own. Limits on resources are hard everywhere.

A worker is not started alone. Above it is a supervisor, which ends when the worker does, and before that kills whatever
the worker has started, sessions of its own included. In a namespace the supervisor is process 1, so the kernel does it:

    server -> process 0, outside: makes the namespaces -> process 1: supervises -> the worker

Each dies with the one before it, however that happens.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

NEW_MOUNTS, NEW_HOSTNAME, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NETWORK = (1 << bit for bit in (17, 26, 27, 28, 29, 30))
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
DEVICES = ("null", "zero", "full", "random", "urandom")
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, ATTR_RDONLY, ATTR_NOSUID = 442, -100, 0x8000, 1, 2
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 36, 38
CAPABILITIES_VERSION = 0x20080522
SOCKET_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # architecture, number of socket(2)
IO_URING_SETUP, FIRST_X32_CALL = 425, 0x40000000
LOAD, JUMP_IF_EQUAL, JUMP_IF_GREATER_OR_EQUAL, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
FOLDER_SIZE = 64 << 20  # bytes
MOST_FILES, MOST_PROCESSES = 256, 64
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # the stack of each thread counts as memory
GRACE = 5  # seconds of CPU time between SIGXCPU and SIGKILL
SIGNALLED = 128  # added to a signal in an exit status, as shells do


def confine() -> bool:
    """Continue in a child of this process that can do no harm; whether it is isolated from the rest of the machine."""
    isolated = sys.platform == "linux" and try_in_child(isolate)
    if isolated:
        isolate()
        # If the server dies so does this process, even one that is stopped, and with it the kernel ends the namespace.
        ask_kernel("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        fork_supervised()
        with suppress(OSError):  # inside some containers it is not allowed; the old one is read-only
            mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    fork_supervised()
    if isolated:
        drop_privileges()
        refuse_sockets()
        limit(resource.RLIMIT_NPROC, MOST_PROCESSES)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, MOST_FILES)
    limit(resource.RLIMIT_FSIZE, FOLDER_SIZE)
    return isolated


def worker_environment() -> dict[str, str]:
    """The environment of a worker, which finds the same modules from its own working directory."""
    folders = [os.path.abspath(folder) for folder in sys.path if folder]
    return {**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(folders)}


# Limits


def limit(what: int, most: int) -> None:
    """Lower a resource limit for good, unless it is lower already."""
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def allow_seconds(seconds: int) -> None:
    """Allow this many seconds of CPU time from now on."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = int(usage.ru_utime + usage.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def allow_no_more_seconds() -> None:
    """Make the limit on CPU time hard: from here on nobody can raise it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if soft != resource.RLIM_INFINITY:
        most = soft + GRACE
        resource.setrlimit(resource.RLIMIT_CPU, (soft, most if hard == resource.RLIM_INFINITY else min(most, hard)))


# Processes


def fork_supervised() -> None:
    """Continue in a child; this process waits for its end, ends all that it started, and ends in the same way."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        if sys.platform == "linux":
            ask_kernel("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if select.select([reading], [], [], 0)[0]:  # the parent died before we asked
            os._exit(1)
        os.close(reading)
        return
    os.close(reading)
    supervise(child)


def supervise(child: int) -> None:
    """Wait for a child; never returns."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)  # only the worker may hold the pipes, so that the server notices when it closes them
    os.dup2(nothing, 1)
    if sys.platform == "linux":
        ask_kernel("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become our children

    def end(number: int, frame: object) -> None:
        kill_children()
        os._exit(SIGNALLED + number)

    signal.signal(signal.SIGTERM, end)
    ended = 0
    while ended != child:
        ended, status = os.wait()
    kill_children()
    code = os.waitstatus_to_exitcode(status)
    number = -code if code < 0 else code - SIGNALLED
    if number in signal.valid_signals():
        limit(resource.RLIMIT_CORE, 0)
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # process 1 of a namespace survives this
        os._exit(SIGNALLED + number)
    os._exit(code)


def kill_children() -> None:
    """Kill all children; theirs become ours, and are killed next."""
    while children := find_children(os.getpid()):
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def find_children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            above = entry.read_text(errors="replace").rpartition(")")[2].split()[1]
            if int(above) == parent:
                found.append(int(entry.parent.name))
    return found


def try_in_child(step: Callable[[], None]) -> bool:
    """Whether a step works, tried in a process that ends with it."""
    child = os.fork()
    if child == 0:
        try:
            step()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


# The kernel


def isolate() -> None:
    """Take this process to namespaces of its own; processes that it starts, too. Raises OSError."""
    user, group, folder = os.getuid(), os.getgid(), os.getcwd()
    ask_kernel("unshare", NEW_USER | NEW_MOUNTS | NEW_PIDS | NEW_NETWORK | NEW_IPC | NEW_HOSTNAME)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"size={FOLDER_SIZE},mode=700")
    hide_devices(os.path.join(folder, "devices"))
    set_attributes("/", AT_RECURSIVE, ATTR_RDONLY | ATTR_NOSUID, 0)
    set_attributes(folder, 0, 0, ATTR_RDONLY)
    os.chdir(folder)  # what is mounted there now
    os.environ["TMPDIR"] = folder


def hide_devices(folder: str) -> None:
    """Replace /dev by a folder with the harmless ones: a disk can be written through its device."""
    os.mkdir(folder)
    for name in DEVICES:
        file = os.path.join(folder, name)
        Path(file).touch()
        mount(f"/dev/{name}", file, "", MS_BIND)
    mount(folder, "/dev", "", MS_BIND | MS_REC)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    ask_kernel("mount", source.encode(), target.encode(), kind.encode() or None, flags, options.encode() or None)


def set_attributes(path: str, how: int, on: int, off: int) -> None:
    """Change the attributes of a mount, or of all below it."""
    attributes = ctypes.create_string_buffer(struct.pack("=QQQQ", on, off, 0, 0), 32)
    ask_kernel("syscall", MOUNT_SETATTR, AT_FDCWD, path.encode(), how, attributes, ctypes.c_size_t(32))


def drop_privileges() -> None:
    """Give up what a process may do in its own namespace, such as mounting, for good."""
    with suppress(OSError):  # there are no more of them
        for capability in range(64):
            ask_kernel("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
    ask_kernel("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    head = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITIES_VERSION, 0), 8)
    ask_kernel("capset", head, ctypes.create_string_buffer(24))


def refuse_sockets() -> None:
    """Refuse socket(2): a socket in the file system leads out of any namespace."""
    if platform.machine() not in SOCKET_CALLS:
        return
    architecture, call = SOCKET_CALLS[platform.machine()]
    program = [
        (LOAD, 0, 0, 4),
        (JUMP_IF_EQUAL, 0, 4, architecture),  # else refuse: the 32-bit calls have other numbers
        (LOAD, 0, 0, 0),
        (JUMP_IF_GREATER_OR_EQUAL, 2, 0, FIRST_X32_CALL),
        (JUMP_IF_EQUAL, 1, 0, call),
        (JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    ask_kernel("prctl", PR_SET_SECCOMP, 2, ctypes.addressof(head), 0, 0)


def ask_kernel(name: str, *arguments: object) -> None:
    """Call a function of the C library; raises OSError."""
    whole = [ctypes.c_ulong(each) if isinstance(each, int) and each >= 0 else each for each in arguments]
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*whole) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
