"""Values of `[context]` for the engine, and what is sent beside or instead of the user's words (context.md K1-K10,
K50)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """`files` are the names that are looked for in each folder, `own` is the user's file, `home` the user's folder.

    `trusted`: the workspace's own configuration is there and trusted (S10); `shell` is the user's.
    `hides` names the ignore list that hides a file of the workspace, given as an absolute path (AR41).
    """

    files: tuple[str, ...]
    instructions: Literal["all", "trusted", "own", "off"]
    instructions_kib: int
    environment: bool
    own: Path
    home: Path | None
    trusted: bool
    shell: str = ""
    hides: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Briefing:
    """System text after the system prompt: for the conversation's model, and for a reviewer (K5).

    `shared`: a reviewer may read all files that the model reads, so that the same prompt can have the same end.
    """

    system: str = ""
    reviewer: str = ""
    shared: bool = True

    def after(self, prompt: str) -> str:
        """The system text of a request."""
        return joined(prompt, self.system)

    def reviewed(self, prompt: str, *, same: bool) -> str:
        """The same for a reviewer; `same`: it is the conversation's model, with its prompt, whose cache it can use."""
        return joined(prompt, self.system if same and self.shared else self.reviewer)


UNTOLD = Briefing()
"""Nothing but the system prompt."""


@dataclass(frozen=True, slots=True)
class CommandText:
    """An own command as it was `typed`, and the `content` that is sent for it. `model` is the one that it wants."""

    typed: str
    content: str
    name: str = ""
    arguments: str = ""
    model: str = ""


def joined(prompt: str, more: str) -> str:
    """Two parts of a system text, one of which may be empty."""
    return "\n\n".join(part for part in (prompt.strip("\n"), more) if part.strip())
