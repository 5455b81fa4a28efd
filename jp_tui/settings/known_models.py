"""Known facts about models: context window, prices, support for structured verdicts (surface.md S20b, inquiries.md
R132, R133).

The user's file beside `config.toml` precedes the built-in `config/models.toml`. Both are read only for a reviewer or a
price, so a start without them is faster. A fact that no file states is None.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jp_tui.settings import data
from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.layers import Layer
from jp_tui.settings.layers.merge import check
from jp_tui.settings.layers.toml import Table
from jp_tui.settings.schema import checks
from jp_tui.settings.schema.nodes import Group, Leaf, dotted

Support = Literal["native", "tool", "none"]
EffortSupport = Literal["level", "budget", "switch", "none"]

_PRICE = checks.number(0, 100_000)
_MODEL = Group(
    {
        "window": Leaf(checks.integer(1_000, 100_000_000), help="context in tokens"),
        "input": Leaf(_PRICE, help="US dollars a million tokens"),
        "output": Leaf(_PRICE),
        "cached": Leaf(_PRICE),
        "structured": Leaf(checks.choice("native", "tool", "none")),
        "images": Leaf(checks.boolean, help="whether it takes images"),
        "effort": Leaf(checks.choice("level", "budget", "switch", "none"), help="how it takes an effort"),
    }
)
MODELS = Group(
    named=_MODEL,
    key_check=checks.matching(r"[A-Za-z0-9_-]+/([^\s*]*[^\s*/]|[^\s*]*\*)", "provider/model, or its beginning with *"),
)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about one model. Prices in US dollars per million tokens; `structured` and `images` as in the files."""

    window: int | None = None
    input: float | None = None
    output: float | None = None
    cached: float | None = None
    structured: Support | None = None
    images: bool | None = None
    effort: EffortSupport | None = None


class KnownModels:
    """Contents of the files; the first takes precedence."""

    def __init__(self, trees: Sequence[Table]) -> None:
        self._trees = trees

    def facts(self, model: str) -> Facts:
        """Return the facts about `provider/model`: per key, in each file the exact name, then the longest prefix."""
        found: dict[str, Any] = {}
        for tree in self._trees:
            for name in sorted(filter(lambda name: _fits(name, model), tree), key=_weight):
                found = {**tree[name], **found}
        return Facts(**found)

    def named(self, provider: str) -> tuple[str, ...]:
        """Return the models of a provider that the files name in full, each once, as written."""
        names = (name for tree in self._trees for name in tree if not name.endswith("*"))
        return tuple(dict.fromkeys(name for name in names if name.startswith(f"{provider}/")))


def _fits(name: str, model: str) -> bool:
    return model.startswith(name[:-1]) if name.endswith("*") else model == name


def _weight(name: str) -> tuple[bool, int]:
    return name.endswith("*"), -len(name)


def user_models_file(user_file: str | os.PathLike[str]) -> str:
    """Return the path of the user's file: in the folder of `config.toml`."""
    return os.path.join(os.path.dirname(os.fspath(user_file)), data.MODELS)


def read(user: str) -> KnownModels:
    """Read the user's file and the built-in one. Raises SettingsError; each problem has file and line."""
    document = toml.read(user)
    own = [_checked(user, document)] if document is not None else []
    with open(data.MODELS_FILE, encoding="utf-8") as stream:
        return KnownModels([*own, toml.loads(stream.read(), data.MODELS_FILE)])


def _checked(file: str, document: toml.Document) -> Table:
    tree, flaws = check(document.tree, MODELS)
    if not flaws:
        return tree
    layer = Layer("user", file, tree, document.places)
    problems: list[SettingsProblem] = []
    for flaw in flaws[:100]:
        at = layer.origin(flaw.path)
        problems.append(
            SettingsProblem(flaw.message, dotted(flaw.path), file, at.line, at.column, flaw.allowed, flaw.nearest)
        )
    raise SettingsError(problems)
