"""The configuration of a workspace, and the user's trust in it (surface S10): commands, one event, its values.

Texts of the file are untrusted. Trust is bound to the digest of the content that was shown.
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model


class ProposedSetting(Model):
    """One key of the file: `value` as TOML, `place` FILE:LINE (empty: it is gone), `does` explains it. `counts`:
    `waits` for trust, `never` applies, `always` applies. `acts`: it runs, redirects or answers something. `change`
    since it was trusted last, with its value `before`. Of the kind `file` it is a command or a file of a skill: `key`
    is its name, `value` its text, `place` its path (context.md K52)."""

    key: Foreign
    value: Foreign
    place: Foreign
    does: Foreign
    counts: Literal["waits", "never", "always"]
    acts: bool = False
    change: Literal["same", "new", "changed", "gone"] = "new"
    before: Foreign = Foreign("")
    kind: Literal["setting", "file"] = "setting"


class ReadTrust(Model):
    """Answered by TrustRead, from the current file."""

    type: Literal["read_trust"] = "read_trust"


class TrustWorkspace(Model):
    """Trust the file with exactly the content that has this digest. Answered by TrustRead; Refused when the content is
    another by now."""

    type: Literal["trust_workspace"] = "trust_workspace"
    digest: str


class DistrustWorkspace(Model):
    """Revoke trust in the file. Answered by TrustRead."""

    type: Literal["distrust_workspace"] = "distrust_workspace"


class TrustRead(Model):
    """State of the workspace's file, commands and skills: `none` when there are none of these, `changed` when other
    content of them is trusted, `broken` when it cannot be used, `problem` saying why. `compared`: `change` is known.
    `done`: this is the state after a command."""

    type: Literal["trust_read"] = "trust_read"
    file: Foreign
    state: Literal["none", "untrusted", "changed", "trusted", "broken"]
    digest: str = ""
    settings: tuple[ProposedSetting, ...] = ()
    compared: bool = False
    problem: Foreign = Foreign("")
    done: Literal["", "trusted", "distrusted"] = ""
