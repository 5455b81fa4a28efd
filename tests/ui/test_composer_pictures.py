"""Pictures of what stands around the composer: messages that wait, files, what was typed before, a command's output,
chips, a fork, the meter of the context; in three themes at 80x24 and 120x36 (issue 8 "Done when").

After a change that is meant: `pytest tests/ui/test_composer_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

import pytest
from textual import events
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import UsageTotals
from tests.fakes import scenes
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import Host
from tests.ui.picturing import THEMES, Compare, Then, host, looks, taken
from tests.ui.test_queue import waits
from tests.ui.test_resending import said

PATHS = (
    "docs/rfd/008-knowledge-base.md", "docs/rfd/016-plugins.md", "docs/", "docs/a name with blanks.md",
    "docs/rfd/evil\x1b[31m\nname\u202etxt.md",
    "docs/rfd/a-very-long-folder-name-that-nobody-would-type/and-another-one/the-file-that-is-meant-in-the-end.md",
)  # fmt: skip
HISTORY = (
    "Does the build fail?", "Bring the plan up to date.\nThen tell me what is left.",
    "Why does the build of the documentation fail only on the machine of the nightly run and nowhere else, please?",
    "fix the build",
)  # fmt: skip
MAKE = "\x1b[32mok\x1b[0m   links\n" + "\n".join(f"ok   chapter {n}" for n in range(1, 15)) + "\nFAIL storage: 2 links"
LONG = "\n".join(f"line {n}" for n in range(812))
IMAGE = "[image 2: shot.png, 12 kB]"


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


async def queue(app: Host, pilot: Pilot[None]) -> None:
    long = "Then write the same into the changelog, in the words of the people who read it and not in those of a list"
    await app.says(pilot, *scenes.tools(), waits("Run the checks.", f"{long}\nand nothing else\nplease", "a", "b", "c"))


async def held(app: Host, pilot: Pilot[None]) -> None:
    await app.says(pilot, waits("Run the checks.", "Then push.", held="the turn before it failed"))


async def files(app: Host, pilot: Pilot[None]) -> None:
    app.burst(*"Compare @docs")
    await app.still(pilot)
    await pilot.press("down")


async def recall(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+r", *"build")


async def runs(app: Host, pilot: Pilot[None]) -> None:
    app.burst(*"!make check", "enter")
    await app.still(pilot)
    app.time.now += 12
    await app.says(pilot, ev.ShellOutput(run=1, text=Foreign(MAKE)))
    assert "◐ runs · 12.0 s" in app.screen_text(), "below long output, too"


async def ended(app: Host, pilot: Pilot[None]) -> None:
    await runs(app, pilot)
    await app.says(pilot, ev.ShellEnded(run=1, status=2, text=Foreign(MAKE), ms=12_300))
    assert "✗ exit status 2 · 12.3 s" in app.screen_text()


async def chips(app: Host, pilot: Pilot[None]) -> None:
    app.burst(*"See ")
    app.post_message(events.Paste(LONG))
    app.burst(*" and ")
    app.post_message(events.Paste("'/tmp/shot.png'"))
    await app.still(pilot)
    assert IMAGE in app.composer.text and "[pasted 1: 812 lines" in app.composer.text
    await pilot.press("left", "left")


async def fork(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press("tab", "e")
    await app.still(pilot)
    assert app.composer.text == "And which of them are broken?"


SCENES: dict[str, Then] = {
    "queue": queue, "queue-held": held, "files": files, "recall": recall, "shell-runs": runs, "shell-ended": ended,
    "chips": chips, "fork": fork,
}  # fmt: skip


def link() -> FakeLink:
    """An engine that knows some files and what was typed, and takes any image."""
    page = (said(1, "What links to the knowledge base?"), said(2, "And which of them are broken?"))
    first = opened(title=Foreign("rfd-links"), new=False, page=page, last_seq=2, turns=2)
    found = FakeLink(first, history=HISTORY)
    found.answers[cmd.FindFiles] = lambda asked: [
        ev.FilesFound(revision=asked.revision, paths=PATHS, total=1312, cut=False)
    ]
    found.answers[cmd.CheckImage] = lambda asked: [ev.ImageChecked(ask=asked.ask, path=asked.path, size=12_300)]
    return found


@looks
@pytest.mark.parametrize("scene", list(SCENES))
def test_composer(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = host(theme, link())
    assert snap_compare(app, terminal_size=size, run_before=taken(app, then=SCENES[scene]))


def test_a_list_over_what_waits_and_a_command_on_a_small_screen(snap_compare: Compare) -> None:
    """Everything above the composer at once: the list stands alone where there is no room."""

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await ended(app, pilot)
        await app.says(pilot, waits("Run the checks."))
        await files(app, pilot)

    app = host("jp-night", link())
    assert snap_compare(app, terminal_size=(80, 24), run_before=taken(app, then=then))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("part", [0.23, 0.86], ids=["room", "near-full"])
def test_meter(snap_compare: Compare, part: float, width: int, theme: str) -> None:
    """The context: how much of it is taken, at three widths; near its end it warns."""
    used = UsageTotals(input=412_000, output=9_300, cost_usd=0.84, context=round(200_000 * part))
    app = host(theme, model="anthropic/claude-haiku-4-5", window=200_000, usage=used)

    async def then(app: Host, pilot: Pilot[None]) -> None:
        assert f"{part:.0%} of 200k" in app.screen_text(), "at any width"

    assert snap_compare(app, terminal_size=(width, 24), run_before=taken(app, then=then))
