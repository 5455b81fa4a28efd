"""The page of what goes to the model (context.md K12), in pictures at 80 and 120 columns."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.context import ContextPart
from jp_tui.view.pages import first_screen
from tests.ui.app_host import Host
from tests.ui.picturing import Compare, host, looks, taken


def part(name: str, size: int, path: str | None = None, **more: Any) -> ContextPart:
    about = {} if path is None else {"path": Foreign(path), "trusted": more.pop("trusted", False)}
    tokens = 0 if more.get("state") == "not_sent" else size // 3
    return ContextPart.model_validate({"part": name, "bytes": size, "tokens": tokens, **about, **more})


ACME = "/home/ada/code/acme"
NEW = f"{ACME}/.agents/skills/new/SKILL.md"
OTHER, CUT = "CLAUDE.md is read in this folder", "52,000 of 10,485,760 bytes"
READ = ev.ContextRead(
    conversation="c1",
    parts=(
        part("system", 458),
        part("instructions", 900, "/home/ada/.config/jp-tui/AGENTS.md", trusted=True),
        part("instructions", 12_400, f"{ACME}/AGENTS.md", why=Foreign("@.env: usually holds secrets")),
        part("instructions", 10_485_760, f"{ACME}/web/CLAUDE.md", state="cut", why=Foreign(CUT)),
        part("instructions", 210, f"{ACME}/web/GEMINI.md", state="not_sent", why=Foreign(OTHER)),
        part("skills", 340, f"{ACME}/.agents/skills/pdf/SKILL.md", trusted=True),
        part("skills", 0, NEW, state="not_sent", why=Foreign("the folder is not trusted")),
        part("environment", 233),
        part("tools", 9_541),
        part("messages", 61_000),
    ),
    tokens=47_000,
    window=200_000,
    model="anthropic/claude-sonnet-4-5",
)  # fmt: skip


@looks
def test_the_page(snap_compare: Compare, size: tuple[int, int], theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    app = host(theme)
    app.link.answers[cmd.ReadContext] = lambda _: [READ]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        app.action_open("context")
        await app.still(pilot)
        await pilot.press("G")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, then=then))


def test_the_first_screen_names_instruction_files_only() -> None:
    """S51: a skill that is sent is none."""
    said = first_screen.instructions(READ.parts, ACME, "/home/ada")
    assert said == "Instructions: ~/.config/jp-tui/AGENTS.md, AGENTS.md, web/CLAUDE.md"
