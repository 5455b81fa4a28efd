"""The entry point: looks at the words of the command line before anything is imported (T29, designs.md A.1).

`--version` prints a constant, an interactive start forks under the guardian, everything else goes straight to
`startup`. It parses nothing (that is `settings/cli`) and imports nothing heavy before the fork.
"""

from __future__ import annotations

import posix
import sys

from jp_tui import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jp_tui.first_frame.early_screen import EarlyScreen

# fmt: off
COMMANDS = frozenset((
    "query", "rpc", "acp", "inquiries", "answer", "ask", "conversations", "models", "tools", "reviewers", "config",
    "mcp", "hook", "rules", "store", "people", "doctor", "completions",
))
# fmt: on
_TAKE_A_VALUE = frozenset(("--workspace", "--model", "--agent", "-r", "--resume", "--theme", "--cfg", "--store"))
_MAY_TAKE_A_NAME = frozenset(("-t", "--tool", "-T", "--no-tool", "--tool-use"))
_KNOWN = _TAKE_A_VALUE | _MAY_TAKE_A_NAME | {"-c", "--continue", "--no-tool-use"}
_WITHOUT_A_SCREEN = frozenset(("-h", "--help", "--plain", "--version"))
_READ_AT_IMPORT = {
    "TEXTUAL_FPS": "1000",  # not a frame rate: how long a key's repaint may wait behind another (designs.md B.5)
    "ESCDELAY": "40",  # milliseconds until a lone ESC is the key (T27)
}
_SWITCH_INTERVAL = 0.0005  # seconds; at the default a computing thread delays every key (T28)


def main(argv: list[str] | None = None) -> int:
    """Run jp-tui with `argv` (without the program's name) and return its exit code (surface.md S1)."""
    words = sys.argv[1:] if argv is None else argv
    options, command = _look(words)
    if "--version" in options and command not in COMMANDS:
        sys.stdout.write(f"jp-tui {__version__}\n")
        return 0
    terminal = posix.isatty(0) and posix.isatty(1) and posix.environ.get(b"TERM") != b"dumb"
    if wants_screen(words) and sys.platform == "linux" and terminal:
        from jp_tui import guardian

        return guardian.run_guarded(lambda: _workspace(words), first_frame(words))
    code = _run(words)
    if "jp_tui.guardian" in sys.modules:  # only through it a last word is set
        from jp_tui import guardian

        guardian.print_exit_text()
    return code


def wants_screen(words: list[str]) -> bool:
    """True if these words ask for the full-screen workspace: no command, no help, not `--plain`."""
    options, command = _look(words)
    return command not in COMMANDS and not options & _WITHOUT_A_SCREEN


def first_frame(words: list[str]) -> EarlyScreen | None:
    """The screen until the app is loaded; None if these words contain an option that may end in text and no frame."""
    from jp_tui.first_frame.early_screen import EarlyScreen, Start

    options, first = _look(words)
    if options - _KNOWN:
        return None
    theme = _values(words, "--theme")[-1:]
    blank = any(one.startswith("ui") for one in _values(words, "--cfg"))
    busy = bool(first) or "--" in words
    return EarlyScreen(Start("".join(theme), blank=blank, elsewhere="--workspace" in options, busy=busy))


def _values(words: list[str], option: str) -> list[str]:
    """The values given to an option."""
    found = []
    for at, word in enumerate(words):
        if word == "--":
            break
        if word.startswith(f"{option}="):
            found.append(word.partition("=")[2])
        elif word == option:
            found += words[at + 1 : at + 2]
    return found


def _look(words: list[str]) -> tuple[set[str], str]:
    """The options before `--`, and the first word that is neither an option nor the value of one (S7)."""
    options: set[str] = set()
    first = ""
    at = 0
    while at < len(words) and words[at] != "--":
        word = words[at]
        at += 1
        if not word.startswith("-") or word == "-":
            first = first or word
            continue
        options.add(word.partition("=")[0])
        named = word in _MAY_TAKE_A_NAME and at < len(words) and not words[at].startswith("-")
        at += named or word in _TAKE_A_VALUE
    return options, first


def _workspace(words: list[str]) -> int:
    """Run the guarded child: first what must be set before the first heavy import, then the program."""
    import gc

    from jp_tui import guardian

    gc.disable()  # until the first frame: ui.gc_schedule.first_frame_done
    sys.setswitchinterval(_SWITCH_INTERVAL)
    guardian.lend_environment(_READ_AT_IMPORT)
    from jp_tui.system import quick_classes

    quick_classes.install()  # before the first class of any of them
    return _run(words)


_SHORT = frozenset(("ask", "answer", "hook", "inquiries"))
"""Commands that scripts and other programs wait for: their classes are made as those of the workspace."""


def _run(words: list[str]) -> int:
    if _look(words)[1] in _SHORT:
        from jp_tui.system import quick_classes

        quick_classes.install()
    if _look(words)[1] == "ask":
        import gc

        gc.disable()  # until it waits: what a setting answers is over by then
    from jp_tui.startup import run

    return run(words)
