"""Keys of `context`: what the model reads beside the messages (context.md K1, K4, K5, K10), and when a full window is
compacted (K20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from jp_tui.settings.schema import checks
from jp_tui.settings.schema.checks import BadValue, describe_value
from jp_tui.settings.schema.nodes import Group, Leaf, stricter

Instructions = Literal["all", "trusted", "own", "off"]
_ORDER = ("all", "trusted", "own", "off")
MOST_NAMES = 20
_NAME = checks.matching(r"(?!\.{1,2}\Z)[^/\0]{1,255}", "the name of a file, without a folder")


def _names(value: Any) -> list[str]:
    """Names of files, each without a folder."""
    if not isinstance(value, list) or len(value) > MOST_NAMES:
        raise BadValue(f"expected a list of at most {MOST_NAMES} file names, found {describe_value(value)}")
    for number, name in enumerate(value):
        checks.inside(number, _NAME, name)
    return value


_SHARE = checks.number(0.3, 0.95)


def _compact_at(value: Any) -> float | bool:
    """A share of the window, or false."""
    if value is False:
        return False
    try:
        return cast(float, _SHARE(value))
    except BadValue:
        raise BadValue(f"expected a number from 0.3 to 0.95 or false, found {describe_value(value)}") from None


CONTEXT = Group(
    {
        "files": Leaf(_names, help="the instruction files of a folder; the first that exists is read"),
        "instructions": Leaf(
            checks.choice(*_ORDER),
            trust="stricter",
            tightens=stricter(*_ORDER),
            help="which instruction files the model gets: all, only of a trusted folder, only your own, or none",
        ),
        "instructions_kib": Leaf(
            checks.integer(1, 1_024),
            tightens=lambda old, new: isinstance(old, int) and new <= old,
            help="maximum KiB of all instruction files",
        ),
        "environment": Leaf(
            checks.boolean,
            tightens=stricter(True, False),
            help="send folder, platform, date and git status to the model",
        ),
        "compact_at": Leaf(_compact_at, help="share of the window at which older messages are summarised, or false"),
        "keep": Leaf(checks.number(0.05, 0.5), help="the share of the window that a summary leaves as it is"),
        "summary": Group(
            {
                "model": Group(
                    {"id": Leaf(checks.model_id, acts=True, help="who summarises: provider/model, or inherit")}
                )
            }
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Context:
    """Values of `[context]`: instruction files and environment."""

    files: tuple[str, ...]
    instructions: Instructions
    instructions_kib: int
    environment: bool
