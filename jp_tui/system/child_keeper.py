"""What stands between us and a command that must not outlast us: its parent, a process of its own (traps.md T9).

It takes over whatever the command leaves behind, also what went into a session of its own (on Linux it can: it is a
"subreaper"), and ends all of it: a moment after the command, or when the socket to us breaks because we let go or are
gone, however that came. It ends as the command did. It is started as a bare interpreter and imports next to nothing;
the program itself only asks whether it works here. Elsewhere `children.py` has a shell instead, which ends the
command's group, and nothing that left it.
"""

from __future__ import annotations

import sys

_SUBREAPER, _DEATH = 36, 1
"""Of prctl(2): PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG."""
_DRAIN, _GRACE, _LAST = 0.2, 1.0, 4.0
"""Seconds for what the command left: to end by itself, to obey TERM, to be killed."""
UNSTARTED = 127
"""The status when the command could not be run; the reason was sent as the number of an error."""
LETS_GO = "lets_go"


def works() -> bool:
    """Whether a command can be kept so on this system."""
    return sys.platform == "linux"


def die_with_parent() -> None:
    """From now on this process ends with the thread that started it. Linux only; elsewhere nothing happens."""
    import _signal  # type: ignore[import-not-found]

    _prctl(_DEATH, _signal.SIGKILL)


def _prctl(what: int, value: int) -> None:
    if sys.platform != "linux":
        return
    try:  # a third of what the whole of ctypes takes to load
        import _ctypes

        ourselves = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        _ctypes.call_function(_ctypes.dlsym(ourselves, "prctl"), (what, value, 0, 0, 0))
    except (ImportError, AttributeError, OSError):
        import ctypes

        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def main() -> None:
    """`FD MODE HELD PROGRAM ARGUMENT…` on the command line: run it, keep it on the leash FD, end as it does. With the
    MODE `lets_go` what it leaves when it ends is not ended here. The number of its session is sent first. HELD is a
    lock of `sandbox/placeholders.py` that is released when nothing of the command is left, or -1."""
    import _signal
    import posix

    leash, lets_go, held, argv = int(sys.argv[1]), sys.argv[2] == LETS_GO, int(sys.argv[3]), sys.argv[4:]
    for descriptor in (leash, held):
        if descriptor >= 0:
            posix.set_inheritable(descriptor, False)
    _prctl(_SUBREAPER, 1)
    woken, wakes = posix.pipe()
    for end in (woken, wakes):
        posix.set_blocking(end, False)
    _signal.set_wakeup_fd(wakes)
    for number in (_signal.SIGCHLD, _signal.SIGTERM):
        _signal.signal(number, lambda *_: None)
    keeper = posix.getpid()
    child = posix.fork()
    if child == 0:
        _become(argv, leash, keeper)
    _say(leash, b"s%d\n" % child)
    null = posix.open("/dev/null", posix.O_RDWR)
    for stream in (0, 1, 2):  # whoever reads these waits for the command's end, not for ours
        posix.dup2(null, stream)
    status = _Keeper(child, leash, woken, lets_go).keep()
    if held >= 0:
        from jp_tui.system.sandbox.placeholders import release

        release(held)
    if posix.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = posix.WTERMSIG(status)
        if number != _signal.SIGKILL:
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())  # held back, it would not end us as it ended the command
        posix.kill(posix.getpid(), number)
    posix._exit(posix.WEXITSTATUS(status))


def _become(argv: list[str], leash: int, keeper: int) -> None:
    """The command, in a session of its own; it dies with its keeper, should somebody kill that."""
    import _signal
    import posix

    _signal.set_wakeup_fd(-1)
    # nohup, a background job, Python and the terminal driver ignore signals, and a child would inherit that
    for number in _signal.valid_signals() - {_signal.SIGKILL, _signal.SIGSTOP}:
        _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    posix.setsid()
    die_with_parent()
    if posix.getppid() != keeper:
        posix._exit(UNSTARTED)
    program = argv[0]
    path = posix.environ.get(b"PATH", b"").decode("utf-8", "surrogateescape")
    places = [program] if "/" in program else [f"{folder}/{program}" for folder in path.split(":") if folder]
    problem = 2  # ENOENT
    for place in places:
        try:
            posix.execve(place, argv, posix.environ)
        except OSError as error:
            if error.errno not in (2, 20):  # neither ENOENT nor ENOTDIR
                problem = error.errno or problem
        except ValueError:
            problem = 22  # EINVAL
    _say(leash, b"e%d\n" % problem)
    posix._exit(UNSTARTED)


class _Keeper:
    """Waits for the command, for words through the leash, and for its end."""

    def __init__(self, child: int, leash: int, woken: int, lets_go: bool) -> None:
        self._child, self._leash, self._woken, self._lets_go = child, leash, woken, lets_go
        self._status: int | None = None

    def keep(self) -> int:
        """Until nothing of the command is left; its wait status."""
        import select
        import time

        poll = select.poll()
        poll.register(self._leash, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        steps: list[tuple[float, int]] = []  # when which signal goes to all that is left
        while self._left() and not (self._lets_go and self._status is not None):
            now = time.monotonic()
            if self._status is not None and not steps:
                steps = [(now + _DRAIN, 15), (now + _DRAIN + _GRACE, 9)]
            while len(steps) > 1 and steps[0][0] <= now:
                self._all(steps.pop(0)[1])
            if steps and steps[0][0] <= now:
                self._kill()
                break
            events = dict(poll.poll(max(1, (steps[0][0] - now) * 1000) if steps else None))
            if self._leash in events:
                self._kill()
                break
            if self._woken in events and 15 in _read(self._woken):
                self._all(15)
        return self._status if self._status is not None else 9

    def _left(self) -> bool:
        """Fetch what has ended; whether anything still runs."""
        import posix

        try:
            while True:
                pid, status = posix.waitpid(-1, posix.WNOHANG)
                if pid == 0:
                    return True
                if pid == self._child:
                    self._status = status
        except ChildProcessError:
            return False

    def _kill(self) -> None:
        """All of it, also what is started meanwhile."""
        import time

        end = time.monotonic() + _LAST
        while self._left() and time.monotonic() < end:
            self._all(9)
            time.sleep(0.002)

    def _all(self, number: int) -> None:
        import posix

        for pid in _descendants(posix.getpid()):
            try:
                posix.kill(pid, number)
            except OSError:  # it has ended, or is another user's by now
                continue


def _descendants(root: int) -> list[int]:
    """Children and theirs, the nearest first."""
    import posix

    children: dict[int, list[int]] = {}
    for name in posix.listdir("/proc"):
        if name.isdigit():
            try:
                descriptor = posix.open(f"/proc/{name}/stat", posix.O_RDONLY)
            except OSError:
                continue
            try:
                fields = posix.read(descriptor, 4096).rpartition(b")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(name))
            except (OSError, IndexError, ValueError):
                pass
            finally:
                posix.close(descriptor)
    found = list(children.get(root, ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def _say(leash: int, word: bytes) -> None:
    """To whoever started us. If that is gone, `keep` notices, and ends what the child has started by now."""
    import posix

    try:
        posix.write(leash, word)
    except OSError:
        return


def _read(pipe: int) -> bytes:
    import posix

    try:
        return posix.read(pipe, 512)
    except BlockingIOError:
        return b""
