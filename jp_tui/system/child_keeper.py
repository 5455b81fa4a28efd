"""Keeper process: the parent of a command that must not outlive jp-tui (traps.md T9).

As a Linux "subreaper" it inherits everything the command leaves behind, also other sessions, and ends it shortly after
the command, or when the socket to jp-tui closes for any reason. Its exit status is the command's. It runs in a minimal
interpreter with few imports; the program itself only asks whether it works. On other systems `children.py` uses a shell
that ends the command's group only.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SUBREAPER, _DEATH = 36, 1
"""Numbers of prctl(2): PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG."""
_DRAIN, _GRACE, _LAST = 0.2, 1.0, 4.0
"""Seconds for leftover processes: to end on their own, to obey TERM, to be killed."""
UNSTARTED = 127
"""Status if the command couldn't start; the error number was sent as the reason."""
LETS_GO = "lets_go"


def works() -> bool:
    """True if this system supports the keeper."""
    return sys.platform == "linux"


def die_with_parent() -> None:
    """End this process together with the thread that started it. Linux only; no effect elsewhere."""
    import _signal  # type: ignore[import-not-found]

    _prctl(_DEATH, _signal.SIGKILL)


def _prctl(what: int, value: int) -> None:
    if sys.platform != "linux":
        return
    try:  # loads in a third of the time of the whole ctypes
        import _ctypes

        ourselves = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        _ctypes.call_function(_ctypes.dlsym(ourselves, "prctl"), (what, value, 0, 0, 0))
    except (ImportError, AttributeError, OSError):
        import ctypes

        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def main() -> None:
    """Command line: `FD MODE HELD PROGRAM ARGUMENT…`. Run the program under the control socket FD and exit as it does.
    With MODE `lets_go`, leftover processes aren't ended. The session's number is sent first. HELD is a lock of
    `sandbox/placeholders.py`, released when no process is left, or -1."""
    import _signal
    import posix

    leash, lets_go, held, argv = int(sys.argv[1]), sys.argv[2] == LETS_GO, int(sys.argv[3]), sys.argv[4:]
    for descriptor in (leash, held):
        if descriptor >= 0:
            posix.set_inheritable(descriptor, False)
    woken, keeper = _ready(), posix.getpid()
    child = posix.fork()
    if child == 0:
        _become(argv, leash, keeper)
    _send(leash, b"s%d\n" % child)
    null = posix.open("/dev/null", posix.O_RDWR)
    for stream in (0, 1, 2):  # a reader of these waits for the command's end, not for the keeper's
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
        # a blocked signal would not end the keeper as it ended the command
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        posix.kill(posix.getpid(), number)
    posix._exit(posix.WEXITSTATUS(status))


def keep_copy(leash: int, work: Callable[[], None]) -> None:
    """Fork, run `work` in the copy, and end everything it started once it ended or the control socket closes. Never
    returns. Outside Linux it only runs `work`."""
    import _signal
    import posix

    if not works():
        work()
        posix._exit(0)
    woken, keeper = _ready(), posix.getpid()
    child = posix.fork()
    if child == 0:
        status = 1
        try:
            posix.close(leash)
            _fresh_signals()
            posix.setsid()
            die_with_parent()
            if posix.getppid() == keeper:
                _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
                work()
                status = 0
        finally:
            posix._exit(status)
    _Keeper(child, leash, woken, False).keep()
    posix._exit(0)


def _ready() -> int:
    """Make this process the parent of all that its descendants leave behind. Return what is readable after a signal."""
    import _signal
    import posix

    _prctl(_SUBREAPER, 1)
    woken, wakes = posix.pipe()
    for end in (woken, wakes):
        posix.set_blocking(end, False)
    _signal.set_wakeup_fd(wakes)
    for number in (_signal.SIGCHLD, _signal.SIGTERM):
        _signal.signal(number, lambda *_: None)
    return woken


def _fresh_signals() -> None:
    """Undo what a parent did to signals: nohup, background jobs, Python and the terminal driver ignore some, and a
    child would inherit that."""
    import _signal

    _signal.set_wakeup_fd(-1)
    for number in _signal.valid_signals() - {_signal.SIGKILL, _signal.SIGSTOP}:
        _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def _become(argv: list[str], leash: int, keeper: int) -> None:
    """Become the command, in its own session; it dies if its keeper is killed."""
    import posix

    _fresh_signals()
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
    _send(leash, b"e%d\n" % problem)
    posix._exit(UNSTARTED)


class _Keeper:
    """Waits for the command, for messages on the control socket, and for its end."""

    def __init__(self, child: int, leash: int, woken: int, lets_go: bool) -> None:
        self._child, self._leash, self._woken, self._lets_go = child, leash, woken, lets_go
        self._status: int | None = None

    def keep(self) -> int:
        """Run until no process of the command is left; return its wait status."""
        import select
        import time

        poll = select.poll()
        poll.register(self._leash, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        steps: list[tuple[float, int]] = []  # times of the signals to all leftover processes
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
        """Reap ended processes; return True if any still runs."""
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
        """Kill all of it, including processes started meanwhile."""
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
            except OSError:  # it has ended, or now runs as another user
                continue


def _descendants(root: int) -> list[int]:
    """Return all descendants, nearest first."""
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


def _send(leash: int, word: bytes) -> None:
    """Send to jp-tui. If it is gone, `keep` notices and ends what the child has started."""
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
