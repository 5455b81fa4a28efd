"""The parent process that keeps the terminal safe whatever kills the app, and the app's side of the talk with it.

Why: after TERM, HUP, QUIT, SEGV or KILL a full-screen program leaves the alternate screen, mouse modes and raw
keys behind (T6). The guardian forks before anything heavy is imported (no exec: the child goes on in the same
interpreter), passes signals, stop and continue on, and restores the terminal when the child did not.
It imports no room and nothing beyond the bare modules below (designs.md A.2), prints only printable text, and
never blocks on a terminal that stopped reading. Out of reach: guardian and app killed at the same instant by
KILL, and a guardian that is itself the session leader (the kernel hangs the terminal up, nothing can be restored).
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import posix
import select
import sys
import termios
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

STDIN, STDOUT, STDERR = 0, 1, 2
UP, DOWN, WORD = b"R", b"X", b"W"
"""The app's words over the pipe: screen (re)started, screen left and restored, a last word follows."""
RESET = (
    "\x18\x1b\\"  # CAN and ST end a sequence that was cut in the middle
    "\x1b[?2026l\x1b[0m"
    "\x1b[<u"  # the kitty keyboard belongs to the alternate screen: pop it before leaving
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"
    "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"
    "\x1b]22;default\x1b\\\x1b[23;0t"  # the pointer, and the window's title from the terminal's own stack
    "\x1b[?1l\x1b>\x1b[r\x1b[?7h"
    "\x1b[?1049l\x1b[?25h\x1b[0 q\x1b[0m"
)
"""Undoes every mode that the app or Textual may have set; harmless for a terminal that is already clean."""
STALL = 0.5
"""Seconds for which a terminal may refuse to take a byte before it is given up."""
_PASSED_ON = tuple(
    getattr(_signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGTSTP")
)
_STALE = 1.0
"""Seconds after we were continued in which a stop of a silent child is an old one."""
_ASKED_TO_END = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)
_WORD_LINES, _TAIL_LINES, _LINE = 8, 5, 400


# -- the terminal ------------------------------------------------------------------------------------------------


def put(fd: int, text: str, limit: float = STALL) -> bool:
    """Write to a terminal byte by byte, as it takes them: never blocks longer than `limit` seconds in all.

    A blocking write cannot be given a limit, and O_NONBLOCK would be seen by the shell, which shares the
    description. False when the terminal stopped reading or is gone.
    """
    data = text.encode("utf-8", "replace")
    ready = select.poll()
    ready.register(fd, select.POLLOUT)
    end = time.monotonic() + limit
    try:
        for at in range(len(data)):
            events = ready.poll(max(0.0, end - time.monotonic()) * 1000)
            if not events or not events[0][1] & select.POLLOUT:
                return False
            posix.write(fd, data[at : at + 1])
    except OSError:
        return False
    return True


def in_foreground(fd: int) -> bool:
    """Whether the terminal is ours to set; yes as well where there is no job control."""
    try:
        return posix.tcgetpgrp(fd) == posix.getpgrp()
    except OSError:
        return True


def restore(attributes: list[Any] | None) -> None:
    """Bring the terminal back: `attributes` as termios gave them, then RESET, then drop what was typed.

    What a stalled terminal has not read yet is thrown away, so that RESET is the first thing it reads.
    """
    if attributes is not None and in_foreground(STDIN):
        _quietly(termios.tcsetattr, STDIN, termios.TCSANOW, attributes)
    if not put(STDOUT, RESET):
        _quietly(termios.tcflush, STDOUT, termios.TCOFLUSH)
        put(STDOUT, RESET)
    _quietly(termios.tcflush, STDIN, termios.TCIFLUSH)  # mouse reports and replies are not for the shell


def printable(text: str) -> list[str]:
    """Lines that may reach a terminal as they are: no control, format or surrogate character, none too long."""
    lines = ("".join(c if c.isprintable() else "?" for c in line.expandtabs()) for line in text.splitlines())
    return [line[:_LINE] for line in lines if line.strip()]


def _quietly(call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except (OSError, termios.error):
        return  # the terminal or the other process is gone: nothing left to do


# -- the child's side --------------------------------------------------------------------------------------------


class _Self:
    """What this process knows of its guardian; the values of a process that has none until `run_guarded`."""

    to_parent = -1
    from_parent = -1
    capture = -1
    stderr = -1
    can_stop = True
    original: list[Any] | None = None
    word: tuple[str, bool] | None = None
    lent: tuple[str, ...] = ()


def parent_pipe_fd() -> int | None:
    """Becomes readable (end of file) when the guardian has died; None when there is no guardian."""
    return _Self.from_parent if _Self.from_parent >= 0 else None


def original_termios() -> list[Any] | None:
    """The terminal's settings from before the fork, None when there is no guardian."""
    return _Self.original


def can_suspend() -> bool:
    """Whether a shell with job control could continue us after a stop."""
    return _Self.can_stop


def screen_up() -> None:
    """Say, before the first byte, that the screen is taken; stderr goes aside until `screen_down`."""
    _tell(UP)
    if _Self.capture >= 0 and _Self.stderr < 0 and posix.isatty(STDERR):
        _quietly(sys.stderr.flush)
        _Self.stderr = posix.dup(STDERR)
        posix.dup2(_Self.capture, STDERR)


def screen_down() -> None:
    """Say that the terminal is as before; harmless when said twice."""
    if _Self.stderr >= 0:
        _quietly(sys.stderr.flush)
        posix.dup2(_Self.stderr, STDERR)
        posix.close(_Self.stderr)
        _Self.stderr = -1
    _tell(DOWN)


def last_word(text: str, *, error: bool = False) -> None:
    """What is printed after the terminal is restored, on stdout or with `error` on stderr; the last call counts.

    One plain line; a crash may use a few. Without a guardian it waits for `say_last_word`.
    """
    _Self.word = (text, error)
    data = text.encode("utf-8", "replace")[:4000]
    _tell(WORD + b"%d%04x" % (error, len(data)) + data)


def say_last_word() -> None:
    """Print the last word of a process that has no guardian (with one this does nothing)."""
    if _Self.to_parent < 0 and _Self.word is not None:
        text, error = _Self.word
        _Self.word = None
        print("\n".join(printable(text)[:_WORD_LINES]), file=sys.stderr if error else sys.stdout)


def lend_environment(values: Mapping[str, str]) -> None:
    """Set what a library reads at its import only; what the user has set stays."""
    import os

    _Self.lent = tuple(name for name in values if name not in os.environ)
    os.environ.update({name: values[name] for name in _Self.lent})


def return_environment() -> None:
    """Take back what was lent, so that an editor or a tool started later does not inherit it."""
    import os

    for name in _Self.lent:
        os.environ.pop(name, None)
    _Self.lent = ()


def _tell(data: bytes) -> None:
    if _Self.to_parent >= 0:
        _quietly(posix.write, _Self.to_parent, data)


# -- the guardian ------------------------------------------------------------------------------------------------


class _Guardian:
    """The parent's loop: it sleeps in poll until a signal, a word of the child, or the child's end."""

    def __init__(self, child: int, words: int, wakeup: int, original: list[Any] | None) -> None:
        self.child, self.words, self.wakeup, self.original = child, words, wakeup, original
        self.up = False
        self.resumed = 0.0  # when we were continued, until the app has said something
        self.heard = b""
        self.word = ""
        self.word_fd = STDOUT

    def run(self) -> int:
        """Wait for the child's end and return its wait status."""
        poll = select.poll()
        poll.register(self.words, select.POLLIN)
        poll.register(self.wakeup, select.POLLIN)
        while True:
            events = dict(poll.poll())
            if self.words in events:
                self._listen()
                if not events[self.words] & select.POLLIN:
                    poll.unregister(self.words)  # closed by the child, which is ending
            if self.wakeup in events:
                status = self._signalled(posix.read(self.wakeup, 512))
                if status is not None:
                    self._listen()
                    return status

    def _signalled(self, numbers: bytes) -> int | None:
        for number in numbers:
            if number in _PASSED_ON:
                _quietly(posix.kill, self.child, number)
            elif number == _signal.SIGCONT:
                self.resumed = time.monotonic()
        continue_it = False
        while True:
            pid, status = posix.waitpid(self.child, posix.WNOHANG | posix.WUNTRACED | posix.WCONTINUED)
            if pid == 0:
                if continue_it:
                    _quietly(posix.kill, self.child, _signal.SIGCONT)
                return None
            if posix.WIFSTOPPED(status):
                continue_it = self._stop_too()
            elif posix.WIFCONTINUED(status):
                continue_it = False  # the shell continues the whole group; only a signal for us alone is passed on
            else:
                return status

    def _stop_too(self) -> bool:
        """Stop with the child, so that the shell shows the job as stopped (T26); then whether to continue it."""
        if not _Self.can_stop:
            return False  # nobody would ever continue us
        self._listen()
        if time.monotonic() - self.resumed < _STALE and in_foreground(STDIN):
            self.resumed = 0.0
            return True  # it stopped because we were in the background; the shell has called us back since
        if self.up:
            restore(self.original)
            self.up = False  # the app finds its settings gone and says when it takes the screen again
        posix.kill(posix.getpid(), _signal.SIGSTOP)
        self.resumed = time.monotonic()
        return True

    def _listen(self) -> None:
        """Read all that the child has said so far; a word that came in parts waits for its rest."""
        while True:
            try:
                data = posix.read(self.words, 65536)
            except OSError:
                break
            if not data:
                break
            self.heard += data
        while self.heard:
            tag = self.heard[:1]
            if tag == WORD:
                size = int(self.heard[2:6], 16) if len(self.heard) >= 6 else 0xFFFF
                if len(self.heard) < 6 + size:
                    return
                self.word_fd = STDERR if self.heard[1:2] == b"1" else STDOUT
                self.word = self.heard[6 : 6 + size].decode("utf-8", "replace")
                self.heard = self.heard[6 + size :]
            else:
                self.up = tag == UP if tag in (UP, DOWN) else self.up
                self.resumed = 0.0
                self.heard = self.heard[1:]

    def farewell(self, status: int, captured: str) -> None:
        """After the restore: how it ended when that says something, then the app's own last word."""
        lines: list[str] = []
        number = posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else 0
        if number and number not in _ASKED_TO_END:
            lines.append(f"jp-tui was ended by signal {number} ({_signal.strsignal(number)})")
        if (lines or status) and not self.word:
            lines += printable(captured)[-_TAIL_LINES:]
        if lines:
            put(STDERR, "\n".join(lines) + "\n")
        if self.word:
            put(self.word_fd, "\n".join(printable(self.word)[:_WORD_LINES]) + "\n")


def run_guarded(child: Callable[[], int]) -> int:
    """Run `child` in a forked process under a guardian; the child's exit code, or 128 + the signal that ended it.

    To be called with one thread and before heavy imports. In the child `child()` is the whole program: when it
    has returned, its process ends at once (threads that are left are not waited for). Without fork it runs here.
    """
    original: list[Any] | None = None
    if posix.isatty(STDIN):
        original = termios.tcgetattr(STDIN)
    words_out, words_in = posix.pipe()
    alive_out, alive_in = posix.pipe()
    wake_out, wake_in = posix.pipe()
    capture = posix.memfd_create("jp-tui stderr") if hasattr(posix, "memfd_create") else -1
    for fd in (words_out, wake_out, wake_in):
        posix.set_blocking(fd, False)
    _Self.can_stop = _has_job_control()

    handled = [n for n in _PASSED_ON if _signal.getsignal(n) != _signal.SIG_IGN]  # nohup means it
    handled += [_signal.SIGCHLD, _signal.SIGCONT]
    blocked = _signal.pthread_sigmask(_signal.SIG_BLOCK, handled)
    try:
        pid = posix.fork()
    except OSError:  # no process to be had: better without a guardian than not at all
        _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)
        return child()
    if pid == 0:
        for fd in (words_out, alive_in, wake_out, wake_in):
            posix.close(fd)
        _Self.to_parent, _Self.from_parent, _Self.capture = words_in, alive_out, capture
        _Self.original = original
        _be_child(child, blocked)
    posix.close(words_in)
    posix.close(alive_out)
    for number in handled:
        _signal.signal(number, _noted)
    _signal.signal(_signal.SIGTTOU, _signal.SIG_IGN)
    _signal.set_wakeup_fd(wake_in, warn_on_full_buffer=False)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)
    guardian = _Guardian(pid, words_out, wake_out, original)
    status = guardian.run()
    if guardian.up:
        restore(original)
    guardian.farewell(status, _captured(capture))
    return 128 + posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else posix.WEXITSTATUS(status)


def _be_child(child: Callable[[], int], mask: object) -> NoReturn:
    code = 1
    try:
        if _signal.getsignal(_signal.SIGINT) == _signal.default_int_handler:
            # Ctrl+C before the screen is up ends us plainly; later it is the driver's.
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)
        code = int(child())
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            posix._exit(code & 0xFF)


def _has_job_control() -> bool:
    """A parent in our session but in another group is a shell that can continue us."""
    try:
        parent = posix.getppid()
        return posix.getsid(parent) == posix.getsid(0) and posix.getpgid(parent) != posix.getpgrp()
    except OSError:
        return False


def _captured(fd: int) -> str:
    if fd < 0:
        return ""
    size = posix.lseek(fd, 0, 2)
    start = max(0, size - 16384)
    return posix.pread(fd, size - start, start).decode("utf-8", "replace")


def _noted(number: int, frame: object) -> None:
    """A signal is handled where the loop reads its number; Python only wants a handler to be there."""
