"""The unit of our ratios: the smallest Textual screen that one can type into, one Input and one VerticalScroll.

`python bare_app.py` is Textual alone, with `--text` a TextArea in the Input's place, with `--pages` a long text to
scroll through; with `--guarded` the same app runs under our guardian with our driver, which shows what those two cost
or save. Escape is counted on the screen, so that its delay can be measured.
"""

from __future__ import annotations

import sys

PAGED = 5_000
"""Lines of the text."""


def program() -> int:
    from textual.app import App, ComposeResult
    from textual.containers import VerticalScroll
    from textual.widgets import Input, Static, TextArea

    guarded = "--guarded" in sys.argv
    paged = "--pages" in sys.argv
    says = "\n".join(f"zq{number:05d} of a long text" for number in range(PAGED)) if paged else "bare textual app"
    written = TextArea if "--text" in sys.argv else Input

    class Bare(App[None]):
        escapes = 0

        def compose(self) -> ComposeResult:
            with VerticalScroll():
                yield Static(says, id="says")
            yield written()

        def on_mount(self) -> None:
            self.query_one(VerticalScroll if paged else written).focus()
            if paged:
                self.animation_level = "none"
            if guarded:
                self.query_one(Input).cursor_blink = False
                self.call_after_refresh(first_frame_done)

        def key_escape(self) -> None:
            self.escapes += 1
            self.query_one("#says", Static).update(f"esc{self.escapes}esc")

    if not guarded:
        Bare().run()
        return 0

    from jp_tui.ui.driver.choice import driver_class
    from jp_tui.ui.gc_schedule import first_frame_done

    app = Bare(driver_class=driver_class())
    app.run()
    return app.return_code or 0


def guarded_program() -> int:
    """What `jp_tui.main` does in the child before the program."""
    import gc

    gc.disable()
    sys.setswitchinterval(0.0005)
    guardian.lend_environment({"TEXTUAL_FPS": "1000", "ESCDELAY": "40"})
    return program()


if __name__ == "__main__":
    if "--guarded" not in sys.argv:
        sys.exit(program())
    from jp_tui import guardian

    sys.exit(guardian.run_guarded(guarded_program))
