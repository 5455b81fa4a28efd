"""A workspace's own configuration and whether its user trusts it (surface S10): commands, one event, what it carries.

Texts of the file are foreign. What is trusted is bound to the digest of what was shown.
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model


class ProposedSetting(Model):
    """One key of the file: `value` as TOML, `place` FILE:LINE (empty: it is gone), `does` in words. `counts`: `waits`
    for trust, `never` does, `always` does. `acts`: it runs, redirects or answers something. `change` since it was
    trusted last, with its value `before`."""

    key: Foreign
    value: Foreign
    place: Foreign
    does: Foreign
    counts: Literal["waits", "never", "always"]
    acts: bool = False
    change: Literal["same", "new", "changed", "gone"] = "new"
    before: Foreign = Foreign("")


class ReadTrust(Model):
    """Answered by TrustRead, as the file is now."""

    type: Literal["read_trust"] = "read_trust"


class TrustWorkspace(Model):
    """Trust the file with exactly the content that has this digest. Answered by TrustRead; Refused when it is another
    by now."""

    type: Literal["trust_workspace"] = "trust_workspace"
    digest: str


class DistrustWorkspace(Model):
    """Trust the file no longer. Answered by TrustRead."""

    type: Literal["distrust_workspace"] = "distrust_workspace"


class TrustRead(Model):
    """What the workspace's file is: `none` when there is no such file, `changed` when other content of it is trusted,
    `broken` when it cannot be used, `problem` saying why. `compared`: what `change` means is known. `done`: this is how
    it is after a command."""

    type: Literal["trust_read"] = "trust_read"
    file: Foreign
    state: Literal["none", "untrusted", "changed", "trusted", "broken"]
    digest: str = ""
    settings: tuple[ProposedSetting, ...] = ()
    compared: bool = False
    problem: Foreign = Foreign("")
    done: Literal["", "trusted", "distrusted"] = ""
