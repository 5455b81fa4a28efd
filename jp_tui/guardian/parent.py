"""The parent process: forks, passes signals on, serves the first screen until the app is loaded, restores the terminal.

It forks before anything heavy is imported (no exec: the child goes on in the same interpreter), passes signals, stop
and continue on, and restores the terminal if the child did not. It never blocks on a terminal that stopped reading.
Not covered: guardian and app killed by KILL at the same instant, and a guardian that is itself the session leader
(the kernel hangs the terminal up, so nothing can be restored).
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import posix
import select
import sys
import termios
import time

from jp_tui.guardian.child import DOWN, GIVE, LAST_SCREEN, NO_KEYS, SO_FAR, UP, WORD, Self, set_stderr_aside
from jp_tui.guardian.terminal import (
    STDERR,
    STDIN,
    STDOUT,
    first,
    hand_over_terminal,
    in_foreground,
    printable,
    put,
    quietly,
    restore,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, Protocol

    class FirstScreen(Protocol):
        """Owner of the screen and the keys until the app takes them; see `first_frame/early_screen.py`."""

        def take(self, original: list[Any]) -> bool: ...
        def begin(self) -> None: ...
        def again(self) -> None: ...
        def resized(self) -> None: ...
        def read(self) -> str: ...
        def show(self, width: int, height: int, text: str) -> None: ...
        def wanted(self) -> None: ...
        def due(self) -> float | None: ...
        def answer(self, *, rest: bool) -> bytes: ...
        def put_back(self) -> None: ...
        @property
        def full(self) -> bool: ...
        @property
        def drawn(self) -> bool: ...


GONE, LEAVE = "gone", "leave"
"""Results of `FirstScreen.read`: the terminal hung up; the user pressed Ctrl+C twice."""
_PASSED_ON = tuple(
    getattr(_signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGTSTP")
)
_STALE = 1.0
"""Seconds after we were continued in which a stop of a silent child is an old one."""
_ASKED_TO_END = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)
_TAIL_LINES, _EARLY_LINES = 5, 200


class _Guardian:
    """The parent's loop: sleeps in poll until a signal, a message of the child, or the child's end."""

    def __init__(
        self, child: int, pipes: tuple[int, int, int], original: list[Any] | None, front: FirstScreen | None
    ) -> None:
        """`pipes`: messages of the child, answers to it, numbers of signals."""
        self.child, self.original, self.front = child, original, front
        self.words, self.answers, self.wakeup = pipes
        self.capture = -1
        self.early = -1  # size of stderr before the app had the screen
        self.left = False  # the user didn't want to wait
        self.up = False
        self.fronted = front is not None
        self.resumed = 0.0  # when the process was continued, until the app sends a message
        self.heard = b""
        self.word = ""
        self.word_fd = STDOUT

    def run(self) -> int:
        """Wait for the child's end and return its wait status."""
        poll = select.poll()
        poll.register(self.words, select.POLLIN)
        poll.register(self.wakeup, select.POLLIN)
        reads = self.front is not None
        if reads:
            poll.register(STDIN, select.POLLIN)
        while True:
            due = None if self.front is None else self.front.due()
            if due == 0.0:
                self._hand_over()
            if reads and (self.front is None or self.front.full):
                poll.unregister(STDIN)
                reads = False
            events = dict(poll.poll(None if not due else due * 1000 + 1))
            if self.words in events:
                self._listen()
                if not events[self.words] & select.POLLIN:
                    poll.unregister(self.words)  # closed by the child, which is ending
            if self.wakeup in events:
                status = self._signalled(posix.read(self.wakeup, 512))
                if status is not None:
                    self._listen()
                    return status
            if STDIN in events and self.front is not None:
                self._keys(self.front)

    def _keys(self, front: FirstScreen) -> None:
        self.resumed = 0.0  # the terminal is ours, so a stop now is a new one
        came = front.read()
        if came == GONE:
            self.front = None  # hung up, which the kernel reports to the child
        elif came == LEAVE:
            self.left = True
            quietly(posix.kill, self.child, _signal.SIGINT)

    def _hand_over(self) -> None:
        """Give the app everything that was typed, and read no more keys."""
        front, self.front = self.front, None
        if front is not None:
            self._tell(front.answer(rest=True))
            self.up = self.up or front.drawn
        _signal.signal(_signal.SIGWINCH, _signal.SIG_DFL)
        self.early = _size(self.capture)

    def _tell(self, answer: bytes) -> None:
        try:
            while answer:
                answer = answer[posix.write(self.answers, answer) :]
        except OSError:
            return  # it has ended

    def _signalled(self, numbers: bytes) -> int | None:
        for number in numbers:
            if number in _PASSED_ON:
                quietly(posix.kill, self.child, number)
            elif number == _signal.SIGCONT:
                self.resumed = time.monotonic()
            elif number == _signal.SIGWINCH and self.front is not None:
                self.front.resized()
        continue_it = False
        while True:
            pid, status = posix.waitpid(self.child, posix.WNOHANG | posix.WUNTRACED | posix.WCONTINUED)
            if pid == 0:
                if continue_it:
                    quietly(posix.kill, self.child, _signal.SIGCONT)
                return None
            if posix.WIFSTOPPED(status):
                continue_it = self._stop_with_child()
            elif posix.WIFCONTINUED(status):
                continue_it = False  # the shell continues the whole group; only a signal for us alone is passed on
            else:
                return status

    def _stop_with_child(self) -> bool:
        """Stop with the child, so that the shell shows the job as stopped (T26); then whether to continue it."""
        if not Self.can_stop:
            return False  # no process would ever continue this one
        self._listen()
        if time.monotonic() - self.resumed < _STALE and in_foreground(STDIN):
            self.resumed = 0.0
            return True  # it stopped because we were in the background; the shell has called us back since
        if self.front is not None:
            self.front.put_back()
        elif self.up:
            restore(self.original)
            self.up = False  # the app notices that its settings are gone and reports when it takes the screen again
        hand_over_terminal(self.original)
        posix.kill(posix.getpid(), _signal.SIGSTOP)
        self.resumed = time.monotonic()
        if self.front is not None and in_foreground(STDIN):
            self.front.again()
        return True

    def put_back(self) -> None:
        """Restore the terminal after the child's end, if it did not do so itself."""
        if self.front is not None and not self.up:
            self.front.put_back()
        elif self.up:
            restore(self.original)

    def _listen(self) -> None:
        """Read all messages of the child; one that came in parts waits for its rest."""
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
            if tag == LAST_SCREEN:
                size = int(self.heard[1:9], 16) if len(self.heard) >= 9 else 0
                if len(self.heard) < 9 + max(size, 8):
                    return
                shown, self.heard = self.heard[9 : 9 + size], self.heard[9 + size :]
                if self.front is not None:
                    self.front.show(int(shown[:4], 16), int(shown[4:8], 16), shown[8:].decode("utf-8", "replace"))
            elif tag == WORD:
                size = int(self.heard[2:6], 16) if len(self.heard) >= 6 else 0xFFFF
                if len(self.heard) < 6 + size:
                    return
                self.word_fd = STDERR if self.heard[1:2] == b"1" else STDOUT
                self.word = self.heard[6 : 6 + size].decode("utf-8", "replace")
                self.heard = self.heard[6 + size :]
            else:
                self._on_message(tag)
                self.resumed = 0.0
                self.heard = self.heard[1:]

    def _on_message(self, tag: bytes) -> None:
        if tag in (UP, DOWN):
            self.up = tag == UP
            if tag == DOWN and self.front is not None:  # it left before it was seen
                self.front = None
        elif tag == SO_FAR and self.front is not None:
            self._tell(self.front.answer(rest=False))
        elif tag == GIVE and self.front is not None:
            self.front.wanted()
        elif tag in (SO_FAR, GIVE):
            self._tell(NO_KEYS)

    def print_exit_text(self, status: int) -> None:
        """After the terminal is restored, print what the child wrote before it had the screen, how it ended if that was
        no plain end, then its own last word."""
        early = _size(self.capture) if self.early < 0 else self.early
        lines = first(printable(_captured(self.capture, 0, early)), _EARLY_LINES) if self.fronted else []
        captured = _captured(self.capture, early if self.fronted else 0, _size(self.capture))
        number = posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else 0
        if number and number not in _ASKED_TO_END:
            lines.append(f"jp-tui was ended by signal {number} ({_signal.strsignal(number)})")
        if (number or status) and not self.word:
            lines += printable(captured)[-_TAIL_LINES:]
        if lines:
            put(STDERR, "\n".join(lines) + "\n")
        if self.word:
            put(self.word_fd, "\n".join(printable(self.word)) + "\n")


def run_guarded(child: Callable[[], int], screen: FirstScreen | None = None) -> int:
    """Run `child` in a forked process under a guardian; the child's exit code, or 128 + the signal that ended it.

    To be called with one thread and before heavy imports. In the child `child()` is the whole program: when it
    has returned, its process ends at once (threads that are left are not waited for). Without fork it runs here.
    With a `screen` the guardian has screen and keys until the child takes them (`child.take_keys`).
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
    Self.can_stop = _has_job_control()
    front = screen if screen is not None and original is not None and screen.take(original) else None

    handled = [n for n in _PASSED_ON if _signal.getsignal(n) != _signal.SIG_IGN]  # nohup means it
    handled += [_signal.SIGCHLD, _signal.SIGCONT] + ([_signal.SIGWINCH] if front else [])
    blocked = _signal.pthread_sigmask(_signal.SIG_BLOCK, handled)
    here = posix.getpid()
    try:
        pid = posix.fork()
    except OSError:  # no process to be had: better without a guardian than not at all
        _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)
        return child()
    if pid == 0:
        for fd in (words_out, alive_in, wake_out, wake_in):
            posix.close(fd)
        Self.guardian = here
        Self.to_parent, Self.from_parent, Self.capture = words_in, alive_out, capture
        Self.original, Self.fronted = original, front is not None
        _be_child(child, blocked)
    posix.close(words_in)
    posix.close(alive_out)
    for number in handled:
        _signal.signal(number, _noted)
    _signal.signal(_signal.SIGTTOU, _signal.SIG_IGN)
    _signal.set_wakeup_fd(wake_in, warn_on_full_buffer=False)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)
    if front is not None:
        front.begin()
    guardian = _Guardian(pid, (words_out, alive_in, wake_out), original, front)
    guardian.capture = capture
    status = guardian.run()
    guardian.put_back()
    guardian.print_exit_text(status)
    if _signal.SIGINT in handled:
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # another Ctrl+C must not change this exit status
    hand_over_terminal(original)
    if guardian.left:
        return 0  # as the workspace's own Ctrl+C twice (S1)
    return 128 + posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else posix.WEXITSTATUS(status)


def _be_child(child: Callable[[], int], mask: object) -> NoReturn:
    code = 1
    try:
        if _signal.getsignal(_signal.SIGINT) == _signal.default_int_handler:
            # Ctrl+C before the screen is up ends us plainly; later it is the driver's.
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)
        if Self.fronted:
            set_stderr_aside()
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
    """True if the parent is in our session but in another group: a shell that can continue us."""
    try:
        parent = posix.getppid()
        return posix.getsid(parent) == posix.getsid(0) and posix.getpgid(parent) != posix.getpgrp()
    except OSError:
        return False


def _size(fd: int) -> int:
    return posix.lseek(fd, 0, 2) if fd >= 0 else 0


def _captured(fd: int, start: int, end: int) -> str:
    """Return what was written to stderr between two offsets, at most the last 16 KiB."""
    if fd < 0 or end <= start:
        return ""
    start = max(start, end - 16384)
    return posix.pread(fd, end - start, start).decode("utf-8", "replace")


def _noted(number: int, frame: object) -> None:
    """The loop handles a signal when it reads its number; Python only needs some handler."""
