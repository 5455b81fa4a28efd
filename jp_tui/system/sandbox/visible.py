"""Parts of a home folder that sandboxed commands can read: `options.sandbox.visible` (Z18).

The default list names tool chains and caches that by convention contain no credentials. Whatever is listed, places with
secrets, home folders and their parents stay hidden.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jp_tui.system.sandbox.hiding import CREDENTIALS, SENSITIVE, SOCKETS, hideable, named_paths
from jp_tui.system.sandbox.mounts import Mount, beneath
from jp_tui.system.sandbox.places import home_of, homes, own_folders

DEFAULT = "default"
"""In the option: all of TOOLS."""
TOOLS = (
    "~/bin", "~/.local/bin", "~/.local/lib", "~/.local/pipx", "~/.local/share/pipx", "~/.local/share/uv",
    "~/.local/share/pnpm", "~/.local/share/fnm", "~/.local/share/mise", "~/.local/share/rtx",
    "~/.pyenv", "~/.rye/shims", "~/.rye/py", "~/.poetry", "~/.local/share/pypoetry", "~/.local/share/hatch",
    "~/miniconda3", "~/anaconda3", "~/miniforge3", "~/mambaforge", "~/micromamba", "~/.conda/envs", "~/.conda/pkgs",
    "~/.cargo/bin", "~/.cargo/env", "~/.cargo/registry", "~/.rustup", "~/go/bin", "~/go/pkg", "~/.goenv", "~/sdk",
    "~/.nvm", "~/.fnm", "~/.nodenv", "~/.volta", "~/.npm/_cacache", "~/.npm-global", "~/.yarn/bin", "~/.bun/bin",
    "~/.bun/install/cache", "~/.deno/bin", "~/.asdf", "~/.rbenv", "~/.rvm", "~/.gem/ruby", "~/.phpenv",
    "~/.composer/vendor", "~/.jenv", "~/.sdkman/candidates", "~/.sdkman/bin", "~/.sdkman/src", "~/.m2/repository",
    "~/.m2/wrapper", "~/.gradle/wrapper", "~/.gradle/caches", "~/.gradle/jdks", "~/.ivy2/cache", "~/.sbt/boot",
    "~/.cache/coursier", "~/.dotnet", "~/.nuget/packages", "~/.ghcup", "~/.cabal/bin", "~/.cabal/packages",
    "~/.stack/programs", "~/.stack/snapshots", "~/.opam", "~/.juliaup", "~/.julia/juliaup", "~/.julia/packages",
    "~/.julia/artifacts", "~/.julia/compiled", "~/.elan", "~/.swiftly", "~/.swiftpm/cache", "~/.pub-cache/bin",
    "~/.pub-cache/hosted", "~/.luarocks", "~/perl5", "~/.plenv", "~/.nix-profile", "~/.local/state/nix",
    "~/.cache/pip", "~/.cache/uv", "~/.cache/pre-commit", "~/.cache/yarn", "~/.cache/node", "~/.cache/ms-playwright",
)  # fmt: skip
MORE_SECRETS = (
    ".npmrc", "npmrc", ".yarnrc", ".yarnrc.yml", ".condarc", "condarc", "pip.conf", "credentials", "credentials.toml",
    "credentials.json", ".credentials", "auth.json", "gradle.properties", "settings.xml", "settings-security.xml",
)  # fmt: skip
"""Names masked in visible places, besides those that file tools refuse to read."""


@dataclass(frozen=True, slots=True)
class Visible:
    """One entry of the option: as written, where a command looks for it, and its real path. `refused` says why it stays
    hidden, as a clause; a missing place has no `real`."""

    entry: str
    path: str
    real: str = ""
    refused: str = ""


def visible(entries: Sequence[str], environment: Mapping[str, str], root: str) -> list[Visible]:
    """Return every entry that exists or is refused. Missing entries of the default list are left out, as are parts of
    the workspace."""
    looker = _Looker(home_of(environment), homes(environment), _never(environment), root)
    found = []
    for entry in dict.fromkeys(entries):
        names = TOOLS if entry == DEFAULT else (entry,)
        found += [one for name in names if (one := looker.look(name, said=entry != DEFAULT)) is not None]
    return found


def visible_mounts(found: Iterable[Visible]) -> Iterator[Mount]:
    """Return the mounts of entries that aren't refused: each at its real path, and a link where a command looks for
    it."""
    for one in found:
        if not one.refused:
            if hideable(one.real):  # otherwise part of the system, which is always visible
                yield Mount("shown", one.real, f"visible: {one.entry}")
            if one.path != one.real:
                yield Mount("link", one.path, f"visible: {one.entry}", one.real)


@dataclass(frozen=True, slots=True)
class _Looker:
    home: str
    homes: list[str]
    never: dict[str, str]
    root: str

    def look(self, entry: str, *, said: bool) -> Visible | None:
        """Check an entry. None if there is nothing to report: missing and not named by the user, or in the
        workspace."""
        path = os.path.normpath(os.path.join(self.home, entry[2:]) if entry.startswith("~/") else entry)
        if not os.path.isabs(path):
            return Visible(entry, path, refused="it must begin with ~/ or /")
        real = os.path.realpath(path)
        if not os.path.exists(real):
            return Visible(entry, path, refused="it isn't there") if said else None
        if beneath(real, self.root) and not beneath(self.home, self.root):
            return None
        return Visible(entry, path, real, self.refused(path, real))

    def refused(self, path: str, real: str) -> str:
        """Return why a place stays hidden; "" if it is visible."""
        if any(beneath(home, real) for home in self.homes):
            return "it is a home folder or holds one"
        for place, why in self.never.items():
            if any(
                beneath(place, one) or (beneath(one, place) and not self._at_home(one, place)) for one in (path, real)
            ):
                return why
        return ""

    def _at_home(self, path: str, place: str) -> bool:
        """True if the home folder itself is in that place."""
        return beneath(self.home, place) and beneath(path, self.home)


def _never(environment: Mapping[str, str]) -> dict[str, str]:
    """Return places that are never shown, nor their parents, each with the reason."""
    home = home_of(environment)
    found = dict.fromkeys(("/run", "/var/run", "/tmp", "/var/tmp"), "temporary files and sockets are there")
    found |= dict.fromkeys(("/dev", "/proc", "/sys"), "the sandbox has its own")
    if home:
        for name in SENSITIVE:
            path = os.path.join(home, name)
            found |= {path: f"~/{name} may hold secrets", os.path.realpath(path): f"~/{name} may hold secrets"}
    for name in (*CREDENTIALS, *SOCKETS, "XDG_CONFIG_HOME"):
        for path in named_paths(environment.get(name, "")):
            found[os.path.realpath(path)] = f"{name} names it"
    return found | dict.fromkeys(own_folders(environment), "jp-tui's own files are there")
