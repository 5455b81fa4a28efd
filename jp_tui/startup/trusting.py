"""Trust in the workspace's file for the engine: `engine.base.dependencies.Trust` over the files (S10)."""

from __future__ import annotations

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.trust import ProposedSetting, TrustRead
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers, toml, trust_store
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.trust_preview import Proposed, content_before, proposed
from jp_tui.settings.sources import Sources


class Trusting:
    """Reads the file each time; its content at that moment counts."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def read(self) -> TrustRead:
        """Return the state; an unusable workspace file is a state, too. Raises ValueError for jp-tui's own files."""
        file = Foreign(str(self._sources.workspace))
        try:
            document = toml.read(str(self._sources.workspace))
        except SettingsError as problem:
            return TrustRead(file=file, state="broken", problem=Foreign(str(problem)))
        if document is None:
            return TrustRead(file=file, state="none")
        before = content_before(self._sources.store, self._sources.workspace)
        try:
            found = proposed(document, str(self._sources.workspace), self._below(), before)
        except SettingsError as problem:
            return TrustRead(file=file, state="broken", problem=Foreign(str(problem)))
        known = trust_store.known(self._sources.store, self._sources.workspace)
        trusts = self._sources.trusts(document.data)
        return TrustRead(
            file=file,
            state="trusted" if trusts else "changed" if known else "untrusted",
            digest=trust_store.fingerprint(self._sources.workspace, document.data),
            settings=tuple(self._shown(one, compared=before is not None) for one in found),
            compared=before is not None,
        )

    def trust(self, digest: str) -> None:
        """Raises ValueError with a message."""
        file = self._sources.workspace
        try:
            document = toml.read(str(file))
            if document is None or trust_store.fingerprint(file, document.data) != digest:
                raise ValueError("The file changed since it was shown, so it isn't trusted. Review it again.")
            layers.checked("workspace", str(file), document)
            trust_store.trust(self._sources.store, file, document.data)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def forget(self) -> None:
        """Raises ValueError with a message."""
        try:
            trust_store.forget(self._sources.store, self._sources.workspace)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def _below(self) -> Settings:
        try:
            stack = [layers.builtin(file) for file in self._sources.builtins]
            user = layers.from_file("user", str(self._sources.user))
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem
        return Settings([*stack, user] if user else stack)

    def _shown(self, one: Proposed, *, compared: bool) -> ProposedSetting:
        place = "" if one.line is None else f"{self._sources.workspace}:{one.line}"
        return ProposedSetting(
            key=Foreign(one.key),
            value=Foreign(one.value),
            place=Foreign(place),
            does=Foreign(one.does),
            counts=one.counts,
            acts=one.acts,
            change=one.change if compared else "new",
            before=Foreign(one.before or ""),
        )
