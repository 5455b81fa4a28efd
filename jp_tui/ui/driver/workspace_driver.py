"""The terminal driver: Textual's, with an input thread that sleeps and an output that never blocks the loop.

Textual's own driver wakes ten times a second, takes 102 ms for a lone ESC (T27), blocks the app's loop while the
terminal doesn't read (T8), doesn't handle TERM and HUP (T6), and spins when the terminal is gone. Here an idle
workspace costs nothing (T24), a stalled terminal costs frames but no time, and leaving takes limited time. `choice.py`
decides where it is used. It gives keys no meaning and draws nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import gc
import os
import select
import signal
import sys
import termios
import time
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size

from jp_tui import guardian
from jp_tui.ui.driver.first_frame import FirstFrame
from jp_tui.ui.driver.input_filter import InputFilter
from jp_tui.ui.driver.output import TerminalOutput
from jp_tui.ui.driver.replies import ReplyParser, TerminalAnswered
from jp_tui.ui.gc_schedule import first_frame_done
from jp_tui.ui.textual_patches.shape import needs, takes, uses

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import FrameType

    from textual.app import App
    from textual.message import Message

    from jp_tui.ui.notify.window_title import WindowTitle

_ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_SECOND_SIGNAL = 2.0
"""Seconds after which a second end signal ends the process at once. A copy sent to the whole group comes sooner."""
_GRACE = 15
"""Seconds that the whole program has to end after a signal. Then SIGALRM ends it."""
_REPORT_TIMEOUT = 0.25
"""Seconds that a terminal has to report its new size, after which the system is asked for it."""
_FIRST_FRAME_TIMEOUT = 5.0
"""Seconds after the start of the screen before an incomplete first frame is shown."""
FOCUS_QUERY = "\x1b[?1004$p"
"""Asks if the terminal reports its focus, which Textual has just turned on. Its parser drops the answer."""


def check() -> None:
    """Raise Unfit if Textual's driver, its parser or an app's attributes for them have another shape."""
    from textual.app import App
    from textual.driver import Driver

    takes(LinuxDriver, "__init__", "self", "app", "debug", "mouse", "size")
    uses(LinuxDriver, "__init__", "_must_signal_resume", "_mouse_pixels")
    uses(Driver, "__init__", "_app", "_debug", "_loop", "_auto_restart")
    takes(LinuxDriver, "_get_terminal_size", "self")
    takes(LinuxDriver, "start_application_mode", "self")
    uses(LinuxDriver, "process_message", "_in_band_window_resize")
    uses(LinuxDriver, "start_application_mode", "attrs_before", "_run_input_thread", "_key_thread", "_writer_thread")
    uses(LinuxDriver, "stop_application_mode", "disable_input", "attrs_before")
    uses(LinuxDriver, "disable_input", "_key_thread", "exit_event")
    uses(LinuxDriver, "close", "_writer_thread")
    for name in ("_run_input_thread", "run_input_thread", "_enable_bracketed_paste", "disable_input", "close"):
        takes(LinuxDriver, name, "self")
    for name in ("_sigtstp_application", "_sigcont_application", "suspend_application_mode", "resume_application_mode"):
        needs(LinuxDriver, name)
    for name in ("process_message", "send_message"):
        takes(LinuxDriver, name, "self", "message")
    takes(XTermParser, "__init__", "self", "debug")
    takes(XTermParser, "feed", "self", "data")
    takes(XTermParser, "tick", "self")
    uses(XTermParser, "tick", "_timeout_time")
    uses(App, "__init__", "_exit", "_driver")
    takes(App, "_handle_exception", "self", "error")


def spelled_out(text: str) -> str:
    """Rewrite a legacy terminal's Alt+Enter in a form that Textual's parser knows.

    The parser would read `^` and Enter, which sends a text that was only meant to get a new line (T5).
    """
    return text.replace("\x1b\r", "\x1b[13;3u") if "\x1b\r" in text else text


class WorkspaceDriver(LinuxDriver):
    """Textual's Linux driver with sleeping input, non-blocking output, end signals and a guardian."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._screen = sys.__stdout__.fileno() if sys.__stdout__ is not None else 1
        self._output: TerminalOutput | None = None
        self._wake: tuple[int, int] | None = None
        self._raw: list[Any] | None = None
        self._active = False
        self._restores = True
        """True if all that restores the terminal was written, or nothing has to be restored."""
        self._reading = False
        self._ending = 0.0
        self._guardian_died = False
        self._context = contextvars.copy_context()
        self._replies, self._filter = ReplyParser(), InputFilter()
        self.first_frame = FirstFrame(self.write)
        self.larger: tuple[int, int] | None = None
        """The terminal's size if it is larger than the used part."""
        self._size_check: asyncio.TimerHandle | None = None
        self.title: WindowTitle | None = None
        """The window's title while the app has the screen."""
        self.on_input: Callable[[], None] = lambda: None
        """Called in the input thread as soon as something was read, before it is parsed."""

    # -- size

    def _get_terminal_size(self) -> tuple[int, int]:
        return self._bounded(*super()._get_terminal_size())

    def process_message(self, message: Message) -> None:
        """Bound the size in a Resize: a terminal may report its size itself."""
        if isinstance(message, Resize):
            size = Size(*self._bounded(*message.size))
            message = Resize(size, size, pixel_size=message.pixel_size)
        super().process_message(message)

    def _window_changed(self) -> None:
        """Look at the size after SIGWINCH (T31), which Textual ignores once the terminal reports its sizes."""
        if self._size_check is None:
            wait = _REPORT_TIMEOUT if self._in_band_window_resize else 0
            self._size_check = self._loop.call_later(wait, self._check_size)

    def _check_size(self) -> None:
        self._size_check = None
        if self._active and (size := Size(*self._get_terminal_size())) != self._app.size:
            self.send_message(Resize(size, size))

    def _bounded(self, width: int, height: int) -> tuple[int, int]:
        used = guardian.used(width, height)
        self.larger = (width, height) if used != (width, height) else None
        return used

    # -- the screen: start and stop

    @property
    def can_suspend(self) -> bool:
        """True if a shell could continue the process. Without one Ctrl+Z would end it."""
        return guardian.can_suspend()

    def start_application_mode(self) -> None:
        """Take the screen. In the background (`bg`) stop again instead, before a byte is written."""
        if guardian.abandoned():
            guardian.bring_back()
            os._exit(128 + signal.SIGHUP)
        if guardian.in_background(self.fileno):
            os.kill(os.getpid(), signal.SIGSTOP)
            return  # the handler of the SIGCONT that ended the stop has started the screen
        first = self._raw is None
        self.first_frame.begin(hold=first and guardian.guardian_reads_keys())
        guardian.screen_up()
        self._output = TerminalOutput(self._screen, self._repaint)
        self._wake = os.pipe()
        self._reading = True
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is None:  # Textual gave up: the process may not use the terminal after all
            self._leave_screen()
            return
        signal.signal(signal.SIGWINCH, lambda *_: self._soon(self._window_changed))
        with contextlib.suppress(termios.error):
            self._raw = termios.tcgetattr(self.fileno)
        self._active, self._restores = True, False
        self.write(FOCUS_QUERY)
        if self.title is not None:
            self.title.again()
        if first:
            self._first_start()

    def _first_start(self) -> None:
        self.attrs_before = guardian.original_termios() or self.attrs_before
        guardian.return_environment()
        self._wake_for_signals()
        for number in _ENDS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._end_signal)
        parent = guardian.parent_pipe_fd()
        if parent is not None:
            self._loop.add_reader(parent, self._guardian_gone, parent)
        if not gc.isenabled():
            self._loop.call_later(2.0, first_frame_done)  # if the app never calls it
        if self.first_frame.held:
            self._loop.call_later(_FIRST_FRAME_TIMEOUT, self.first_frame.release_incomplete)

    def stop_application_mode(self) -> None:
        """Queue what restores the screen, and restore the terminal's settings. `close` waits for the rest."""
        self.first_frame.drop()
        if self._output is not None:
            self._output.finish()
        if self.title is not None:
            self.title.restore()
        self.disable_input()  # first: a late answer from the terminal makes that thread turn more modes on
        if self._mouse_pixels:
            self._mouse_pixels = False
            self.write("\x1b[?1016l")
        if not self._settings_are_ours():
            self.attrs_before = None
        elif self.attrs_before is not None and not _alone(self._guardian_died):
            self.attrs_before = guardian.undiscarded(self.attrs_before)  # until the guardian releases it
        super().stop_application_mode()
        self._restores = True

    def disable_input(self) -> None:
        """End the input thread at once. A second call must not drop keys typed for the shell."""
        if self._reading and self._wake is not None:
            self._reading = False
            os.write(self._wake[1], b"\0")
            self.first_frame.end_wait()
            super().disable_input()

    def close(self) -> None:
        """Wait, for a limited time, until the terminal has read everything, and report to the guardian."""
        super().close()
        self._writer_thread = None
        self._leave_screen()

    def _leave_screen(self) -> None:
        self._active = False
        output, self._output = self._output, None
        wake, self._wake = self._wake, None
        if wake is not None:
            os.close(wake[0])
            os.close(wake[1])
        if output is None:
            return
        done = output.close() and self._restores
        alone = _alone(self._guardian_died)
        if not done and alone:
            guardian.restore(self.attrs_before)
        if alone:
            guardian.hand_over_terminal(guardian.original_termios())
        if done or alone:
            guardian.screen_down()  # otherwise the guardian finds the screen up, and restores it

    def _settings_are_ours(self) -> bool:
        """False if another program has the terminal and changed it: a shell, after the guardian's death."""
        if guardian.in_foreground(self.fileno):
            return True
        with contextlib.suppress(termios.error):
            return bool(termios.tcgetattr(self.fileno) == self._raw)
        return False

    # -- output

    def write(self, data: str) -> None:
        """Queue `data`. Without the screen nothing is written."""
        if not self.first_frame.hold(data) and self._output is not None:
            self._output.write(data)

    def ask(self, query: str) -> None:
        """Send a query to the terminal, which must end with XTVERSION. TerminalAnswered may follow."""
        self._replies.expecting = True
        self.write(query)

    def _repaint(self) -> None:
        if self.title is not None:  # a terminal that didn't read has missed it, too
            self._app.call_later(self.title.repeat)
        self._app.call_later(self._app.refresh)

    # -- signals

    def _end_signal(self, number: int, frame: FrameType | None = None) -> None:
        """Leave with 128 + number on TERM, HUP or INT. A second one after a while ends the process at once."""
        now = time.monotonic()
        if not self._ending:
            self._ending = now
            signal.alarm(_GRACE)
            self._soon(lambda: self._leave(128 + number))
        elif now - self._ending > _SECOND_SIGNAL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def _wake_for_signals(self) -> None:
        """Wake the loop on a signal: the kernel may deliver it to any thread, but only the main one runs handlers."""
        out, into = os.pipe()
        os.set_blocking(out, False)
        os.set_blocking(into, False)
        signal.set_wakeup_fd(into, warn_on_full_buffer=False)
        self._loop.add_reader(out, os.read, out, 64)

    def _leave(self, code: int) -> None:
        if not self._app._exit:
            self._app.exit(return_code=code)

    def _guardian_gone(self, pipe: int) -> None:
        """Restore and end after the guardian died: the process group may be an orphan in the background."""
        self._loop.remove_reader(pipe)
        self._guardian_died = True
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
        self._end_signal(signal.SIGHUP)

    def _soon(self, call: Callable[[], object]) -> None:
        """Run `call` on the loop: signal handlers nest in each other, and starts and stops must not."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: there is no screen to start or stop
            self._loop.call_soon_threadsafe(call, context=self._context)

    def _sigtstp_application(self, *_: object) -> None:
        if not self._auto_restart:  # an external editor has the terminal, and stops too
            os.kill(os.getpid(), signal.SIGSTOP)
        elif self.can_suspend:
            self._soon(self._suspend)

    def _suspend(self) -> None:
        if self.first_frame.held:
            self.first_frame.stop()
        elif self._active:
            self.suspend_application_mode()
            self._must_signal_resume = True
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        if self._auto_restart:
            if self._active and guardian.in_background(self.fileno):
                os.kill(os.getpid(), signal.SIGSTOP)  # at once, before anything is painted over the shell
            self._soon(self._continued)

    def _continued(self) -> None:
        """Start again if the screen was left, or if the guardian had to restore the terminal (SIGSTOP)."""
        if self.first_frame.held:
            self.first_frame.continued(self.fileno, self._raw)
            return
        if not self._active:
            self.resume_application_mode()
        elif not self._still_raw():
            self.disable_input()
            self.close()
            self.start_application_mode()
        else:  # perhaps only the guardian was stopped, and a shell changed the modes that it uses
            self._enable_bracketed_paste()
            self.write("\x1b[?25l\x1b[?7l")
        self._repaint()

    def _still_raw(self) -> bool:
        with contextlib.suppress(termios.error):
            return bool(termios.tcgetattr(self.fileno) == self._raw)
        return True

    # -- input

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:
            failure = error
            self._soon(lambda: self._app._handle_exception(failure))

    def run_input_thread(self) -> None:
        """Sleep until the terminal or `disable_input` has something, or until a pending escape is due."""
        if self._wake is None:
            return
        tty, wake = self.fileno, self._wake[0]
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("ignore").decode  # invalid UTF-8 isn't typed text
        ahead = self.first_frame.wait_for_keys()
        if ahead and self._reading:
            self._parse_input(ahead, parser, decode)
        while True:
            due = (parser._timeout_time, self._replies.due, self._filter.due)
            moments = [moment for moment in due if moment is not None]
            wait = max(0.0, min(moments) - time.monotonic()) if moments else None
            ready, _, _ = select.select([tty, wake], [], [], wait)
            if wake in ready:
                break
            if ready and not self._read(tty, parser, decode):
                break
            for message in (*self._late(parser), *parser.tick()):
                self.process_message(message)
        with contextlib.suppress(EOFError, ParseError):
            list(parser.feed(""))  # ends its debug log

    def _late(self, parser: XTermParser) -> list[Message]:
        """Return keys that looked like the beginning of an answer from the terminal."""
        now = time.monotonic()
        text = self._filter.feed(held, now) if (held := self._replies.overdue(now)) else ""
        text += self._filter.overdue(now)
        return list(parser.feed(text)) if text else []

    def _read(self, tty: int, parser: XTermParser, decode: Callable[[bytes], str]) -> bool:
        if guardian.in_background(tty):
            # A read would stop the process too, and then wait for ever for input that the shell has read instead.
            os.kill(os.getpid(), signal.SIGSTOP)
            return True
        try:
            data = os.read(tty, 4096)
        except OSError:
            data = b""
        if not data:  # hung up: without this the thread would spin
            self._soon(lambda: self._end_signal(signal.SIGHUP))
            return False
        self.on_input()
        self._parse_input(data, parser, decode)
        return True

    def _parse_input(self, data: bytes, parser: XTermParser, decode: Callable[[bytes], str]) -> None:
        """Parse `data` and send the app its messages."""
        text = decode(data)
        now = time.monotonic()
        text, news = self._replies.feed(text, now)
        if news:
            replies = self._replies
            self.send_message(TerminalAnswered(replies.focus, replies.version, replies.osc99))
        if text := self._filter.feed(text, now):  # the parser takes an empty text for the end
            for message in parser.feed(spelled_out(text)):
                self.process_message(message)


def _alone(guardian_died: bool) -> bool:
    """Return True if no guardian restores the terminal."""
    return guardian_died or guardian.parent_pipe_fd() is None
