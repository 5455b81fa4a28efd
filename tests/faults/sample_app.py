"""The smallest program with a guardian, our driver and crash reports: what the fault tests kill.

`python sample_app.py STATE [usage]`. Ctrl+Q leaves with a last word, Ctrl+Z suspends, Ctrl+X crashes with a secret
in the message, Ctrl+L paints without end, Ctrl+E writes to stderr. It beats into STATE/beat while it paints, which
shows from outside whether the app's loop runs. Stands in for `jp-tui` and knows nothing of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jp_tui import guardian

STATE = Path(sys.argv[1])


def program() -> int:
    if "usage" in sys.argv:
        print("sample: unknown option", file=sys.stderr)
        return 2
    from textual.app import ComposeResult
    from textual.binding import Binding
    from textual.widgets import Input, Static

    from jp_tui.ui.driver.choice import driver_class
    from jp_tui.ui.gc_schedule import first_frame_done
    from tests.faults.crash_app import CrashApp

    class Sample(CrashApp):
        BINDINGS = [
            Binding("ctrl+z", "suspend_process", priority=True),
            Binding("ctrl+q", "leave", priority=True),
            Binding("ctrl+x", "crash", priority=True),
            Binding("ctrl+l", "paint", priority=True),
            Binding("ctrl+e", "noise", priority=True),
        ]
        count = 0

        def compose(self) -> ComposeResult:
            yield Static("sample is ready", id="says")
            yield Static("no key yet", id="key")
            yield Input()

        def on_mount(self) -> None:
            self.query_one(Input).cursor_blink = False
            self.query_one(Input).focus()
            self.call_after_refresh(first_frame_done)

        def on_key(self, event: object) -> None:
            self.query_one("#key", Static).update(f"key {getattr(event, 'key', '')}")

        def action_leave(self) -> None:
            guardian.last_word("conversation abc\x1b[31m is saved")
            self.exit()

        def action_crash(self) -> None:
            secret = "".join(("s", "k-", "live", "0123456789"))  # built here: source lines stand in a traceback
            raise ValueError(f"Authorization: Bearer {secret} failed at {Path.home()}/there")

        def action_paint(self) -> None:
            self.set_interval(0.01, self.paint)

        def paint(self) -> None:
            self.count += 1
            (STATE / "beat").write_text(str(self.count))
            self.query_one("#says", Static).update(f"frame {self.count} " + "x" * (500 + self.count % 7))

        def action_noise(self) -> None:
            import os

            os.write(2, b"noise from a library\n")
            self.query_one("#says", Static).update("noise was made")

    app = Sample(STATE, driver_class=driver_class())
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    code = guardian.run_guarded(program)
    guardian.print_exit_text()
    sys.exit(code)
