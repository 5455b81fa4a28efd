"""Trust in the workspace's file, commands and skills for the engine: `engine.base.dependencies.Trust` over the files
(S10, K52)."""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.trust import ProposedSetting, TrustRead
from jp_tui.settings.command_files import trusting
from jp_tui.settings.command_files.reading import CommandReader
from jp_tui.settings.command_files.trusting import SharedFile
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers, toml, trust_store
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.trust_preview import Proposed, content_before, proposed
from jp_tui.settings.sources import Sources

State = Literal["trusted", "changed", "untrusted"]


class Trusting:
    """Reads the file each time; its content at that moment counts."""

    def __init__(self, sources: Sources, commands: CommandReader | None = None) -> None:
        self._sources, self._commands = sources, commands

    def read(self) -> TrustRead:
        """Return the state; an unusable workspace file is a state, too. Raises ValueError for jp-tui's own files."""
        file = Foreign(str(self._sources.workspace))
        try:
            document = toml.read(str(self._sources.workspace))
        except SettingsError as problem:
            return TrustRead(file=file, state="broken", problem=Foreign(str(problem)))
        shared = self._shared()
        if document is None:
            return self._without(file, shared)
        before = content_before(self._sources.store, self._sources.workspace)
        try:
            found = proposed(document, str(self._sources.workspace), self._below(), before)
        except SettingsError as problem:
            return TrustRead(file=file, state="broken", problem=Foreign(str(problem)))
        known = trust_store.known(self._sources.store, self._sources.workspace)
        trusts = self._sources.trusts(document.data)
        return TrustRead(
            file=file,
            state=_state("trusted" if trusts else "changed" if known else "untrusted", shared),
            digest=self._digest(document, shared),
            settings=(
                *(self._shown(one, compared=before is not None, trusted=trusts) for one in found),
                *(self._file(one) for one in shared),
            ),
            compared=before is not None or any(one.state != "untrusted" for one in shared),
        )

    def _without(self, file: Foreign, shared: list[SharedFile]) -> TrustRead:
        """A folder without configuration."""
        if not shared:
            return TrustRead(file=file, state="none")
        return TrustRead(
            file=Foreign(str(self._sources.workspace.parent.parent)),
            state=_state("trusted", shared),
            digest=self._digest(None, shared),
            settings=tuple(self._file(one) for one in shared),
            compared=any(one.state != "untrusted" for one in shared),
        )

    def _shared(self) -> list[SharedFile]:
        return [] if self._commands is None else trusting.shared(self._commands)

    def _digest(self, document: toml.Document | None, shared: list[SharedFile]) -> str:
        """Of all that is shown."""
        one = "" if document is None else trust_store.fingerprint(self._sources.workspace, document.data)
        more = trusting.digest(shared)
        return f"{one}+{more}" if more else one

    def trust(self, digest: str) -> None:
        """Raises ValueError with a message."""
        file = self._sources.workspace
        try:
            document = toml.read(str(file))
            shared = self._shared()
            if self._digest(document, shared) != digest:
                raise ValueError("The file changed since it was shown, so it isn't trusted. Review it again.")
            if document is not None:
                layers.checked("workspace", str(file), document)
                trust_store.trust(self._sources.store, file, document.data)
            if self._commands is not None:
                trusting.trust(self._commands, shared)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def forget(self) -> None:
        """Raises ValueError with a message."""
        try:
            trust_store.forget(self._sources.store, self._sources.workspace)
            if self._commands is not None:
                trusting.forget(self._commands)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def _below(self) -> Settings:
        try:
            stack = [layers.builtin(file) for file in self._sources.builtins]
            user = layers.from_file("user", str(self._sources.user))
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem
        return Settings([*stack, user] if user else stack)

    def _file(self, one: SharedFile) -> ProposedSetting:
        return ProposedSetting(
            key=Foreign(one.name),
            value=Foreign(one.text),
            place=Foreign(trusting.relative(one.path, self._sources.workspace.parent.parent)),
            does=Foreign(one.does),
            counts="always" if one.state == "trusted" else "waits",
            acts=True,
            change=one.change,
            before=Foreign(one.before or ""),
            kind="file",
        )

    def _shown(self, one: Proposed, *, compared: bool, trusted: bool) -> ProposedSetting:
        place = "" if one.line is None else f"{self._sources.workspace}:{one.line}"
        return ProposedSetting(
            key=Foreign(one.key),
            value=Foreign(one.value),
            place=Foreign(place),
            does=Foreign(one.does),
            counts="always" if trusted and one.counts == "waits" else one.counts,
            acts=one.acts,
            change=one.change if compared else "new",
            before=Foreign(one.before or ""),
        )


def _state(state: Literal["trusted", "changed", "untrusted"], shared: list[SharedFile]) -> State:
    """Of the file together with commands and skills: trusted if all of them are."""
    states = {state, *(one.state for one in shared)}
    if states == {"trusted"}:
        return "trusted"
    return "untrusted" if "trusted" not in states and "changed" not in states else "changed"
