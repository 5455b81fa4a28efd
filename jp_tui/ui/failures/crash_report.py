"""Report a bug of jp-tui: a short message, and a redacted report in a private file (T7).

Textual would end with status 0 and print 93 KB of traceback with every local variable, keys included. A report has no
local variables, no environment variable that may be a secret, no configured credential, nothing that looks like a key,
and no home folder. This imports no Textual, so that commands without a screen can use it too.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING

from jp_tui import __version__, guardian
from jp_tui.conversation.patterns import later
from jp_tui.conversation.secret_encodings import spellings
from jp_tui.conversation.visible import picture
from jp_tui.system.paths import PathsError, private_folder, private_open, write_fully

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

_MOST = 256 * 1024
"""Characters of a report. The middle of a longer one is left out."""
_HIDDEN = "[redacted]"
_SECRET_NAME = later(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_WORDS = r"(?:api[-_ ]?key|x-api-key|access[-_]?key|token|secret|password|passwd|credential|cookie)s?"
_SHAPES = tuple(
    later(pattern, flags)
    for pattern, flags in (
        (r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)", 0),  # user:password in an address
        (r"(?<=authorization)[\"']?\s*[:=,]\s*.+", re.IGNORECASE),  # the whole rest of the line
        (r"(?<=bearer)\s+[^\s\"',;)]+", re.IGNORECASE),
        (rf"{_WORDS}[\w-]{{0,40}}[\"']?\s*[:=,]\s*[bru]*[\"']?[^\s\"',;)}}]+", re.IGNORECASE),
        (r"\b(?:sk|pk|rk|gsk|ghp|gho|ghs|ghu|hf|xai|nvapi|glpat|pplx|csk)[-_][\w-]{8,}", 0),
        (r"\bgithub_pat_\w{8,}|\bxox[a-z]-[\w-]{8,}|\bA(?:KIA|SIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}", 0),
        (r"\beyJ[\w-]{8,2000}\.[\w-]+\.?[\w-]*", 0),  # a JSON web token
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.DOTALL),
        (r"(?<![\w/.+-])(?=[\w+-]*\d)(?=[\w+-]*[A-Z])(?=[\w+-]*[a-z])[\w+-]{32,}={0,2}", 0),
        (r"(?<![\w/.-])[0-9a-fA-F]{32,}\b", 0),
    )
)


_CONTROLS = later(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_ORDINARY = later(r"(?:TERM|COLORTERM|LANG|LC_|LS_COLORS|XDG_|HOSTNAME)")
_ODD = later(r"(?=\S*\d)(?=\S*[^\W\d_])\S{12,4000}\Z")
_known: list[Callable[[], Iterable[str]]] = []


def keep_out(secrets: Callable[[], Iterable[str]]) -> None:
    """Keep these secrets out of every report. The function is called when there is a report to write."""
    _known.append(secrets)


def redact(text: str, environment: Mapping[str, str]) -> str:
    """Return `text` without secrets and with `~` for the home folder. `environment` has both."""
    secrets = {value.strip() for name, value in environment.items() if _SECRET_NAME.search(name)}
    for name, value in environment.items():
        if not _ORDINARY.match(name) and not value.startswith(("/", "~")):
            secrets |= _odd(value)
    for asked in _known:
        with contextlib.suppress(Exception):  # the configuration may have become unreadable
            secrets |= set(asked())
    forms = {form for secret in secrets if len(secret) >= 4 for form in spellings(secret)}  # not "1", "yes"
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, _HIDDEN)
    for shape in _SHAPES:
        text = shape.sub(_HIDDEN, text)
    return shorten_home(text, environment)


def _odd(value: str) -> set[str]:
    """Return possible secrets in a variable with an ordinary name: a long value with digits, or such parts of an
    address."""
    if "://" in value:
        return {part for part in re.split(r"[/:@?&=#]+", value) if _ODD.match(part)} | {value}
    return {value} if _ODD.match(value) and ":/" not in value else set()


def shorten_home(text: str, environment: Mapping[str, str]) -> str:
    """Return `text` with `~` for the home folder."""
    home = environment.get("HOME", "").rstrip("/")
    return re.sub(re.escape(home) + r"(?![\w.-])", "~", text) if len(home) > 1 else text


def report_text(error: BaseException, environment: Mapping[str, str], where: str = "") -> str:
    """Return the redacted report for `error`: versions, place and the traceback without local variables."""
    try:
        trace = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
    except Exception as second:  # an exception whose own __str__ fails
        trace = f"{type(error).__name__} (its traceback couldn't be written: {type(second).__name__})\n"
    return _report(trace, environment, where)


def _report(trace: str, environment: Mapping[str, str], where: str) -> str:
    if len(trace) > _MOST:
        trace = f"{trace[: _MOST // 2]}\n[… {len(trace) - _MOST} characters omitted …]\n{trace[-_MOST // 2 :]}"
    textual = sys.modules.get("textual")
    facts = (
        f"jp-tui {__version__}, Python {sys.version.split()[0]}, {sys.platform}"
        + (f", Textual {getattr(textual, '__version__', '?')}" if textual else ""),
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        f"terminal {environment.get('TERM', '')} {environment.get('TERM_PROGRAM', '')}".strip(),
        f"in {where or threading.current_thread().name}",
    )
    report = redact("\n".join((*facts, "", trace)), environment)
    return _CONTROLS.sub(lambda found: picture(found[0]), report)  # people read it in a terminal


def write_report(error: BaseException, state: Path, where: str = "") -> Path:
    """Write the report into `state`/crashes (0700), mode 0600, and return its path; PathsError or OSError if not."""
    return write_text(report_text(error, os.environ, where), state)


def report_file(error: BaseException, state: Path) -> str:
    """Write the report. Return its path with `~`, or "" if it can't be written."""
    try:
        return shorten_home(str(write_report(error, state)), os.environ)
    except (PathsError, OSError):
        return ""


def keep_report(trace: str, state: Path) -> str:
    """Write the report for a traceback of the engine, redacted too. Return its path with `~`, or "" if it can't be."""
    try:
        return shorten_home(str(write_text(_report(trace, os.environ, "the engine"), state)), os.environ)
    except (PathsError, OSError):
        return ""


def write_text(report: str, state: Path) -> Path:
    """Write a report as `write_report` does."""
    folder = private_folder(state / "crashes")
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{os.urandom(2).hex()}.txt"
    text = report.encode("utf-8", "backslashreplace")
    try:
        descriptor = private_open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_fully(descriptor, text)
        finally:
            os.close(descriptor)
    except OSError:
        with contextlib.suppress(OSError):  # half a report is of no use
            os.unlink(folder / name)
        raise
    return folder / name


def short_words(error: BaseException) -> str:
    """Return the kind of error and the first line of its message, redacted, at most 200 characters."""
    try:
        said = str(error)
    except Exception:  # its own __str__ fails
        said = ""
    return redacted_line(f"{type(error).__name__}: {said}" if said else type(error).__name__)


def redacted_line(said: str) -> str:
    """Return the first line of a message, redacted, at most 200 characters."""
    return next(iter(redact(said[:2000], os.environ).splitlines()), "")[:200]


def short_message(error: BaseException, state: Path, where: str = "") -> str:
    """Write the report. Return two lines: what happened, and where the report is."""
    what = short_words(error)
    try:
        path = shorten_home(str(write_report(error, state, where)), os.environ)
        report = f"A report (no keys, no variables) is in {path}. Please send it and describe what you did."
    except (PathsError, OSError) as problem:
        report = f"The report couldn't be saved: {problem}"
    return f"jp-tui stopped: {what}\n{report}"


def install_excepthook(state: Path, thread_failed: Callable[[BaseException], None] | None = None) -> None:
    """Let unhandled exceptions, of the program and of its threads, end in a short message and a report.

    `thread_failed(error)` is called, in the failing thread, for a thread's exception. Without it the message goes to
    stderr. The interpreter ends with status 1. KeyboardInterrupt prints nothing.
    """

    def failed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            print("\n".join(guardian.printable(short_message(error, state))), file=sys.stderr)

    def failed_in_thread(args: threading.ExceptHookArgs) -> None:
        error = args.exc_value
        if error is None or isinstance(error, SystemExit):
            return
        if thread_failed is not None:
            thread_failed(error)
            return
        where = args.thread.name if args.thread is not None else "a thread"
        print("\n".join(guardian.printable(short_message(error, state, where))), file=sys.stderr)

    sys.excepthook = failed
    threading.excepthook = failed_in_thread
