"""`python -m tests.bench.without NAME [WORD …]`: jp-tui without one of its patches, to see what the patch buys.

NAME is a patch of Textual (`ui/textual_patches`), `quick classes` (`system/quick_classes.py`), or `nothing`: then only
the way in is the same, so that the two can be compared.
"""

from __future__ import annotations

import sys

from jp_tui import main


def unpatched(name: str) -> None:
    """Have the program start without the patch. Nothing heavy is loaded before the fork."""
    run = main._run

    def run_without(words: list[str]) -> int:
        from jp_tui.ui import textual_patches

        problem = textual_patches.problem
        textual_patches.problem = lambda one: "left out" if one == name else problem(one)  # type: ignore[assignment]
        return run(words)

    main._run = run_without
    if name == "quick classes":
        from jp_tui.system import quick_classes

        quick_classes.install = lambda: False


if __name__ == "__main__":
    unpatched(sys.argv[1])
    sys.exit(main.main(sys.argv[2:]))
