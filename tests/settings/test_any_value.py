"""Issue 4 "Bad input": no value of any type at any key, in any layer, raises anything but SettingsError."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jp_tui.settings import providers, toolset, typed_settings
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers
from jp_tui.settings.layers.layers import Layer, Settings
from jp_tui.settings.layers.merge import check
from jp_tui.settings.load import load
from jp_tui.settings.schema.keys import SCHEMA, Group, Leaf, Node, dotted
from tests.sampling import partly

BUILTIN = load(user_file="/dev/null/x", workspace_file="/dev/null/x", environment={}).layers


def every_path(node: Node, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All keys, groups too; where any name goes, one that is taken and one that is not."""
    if at:
        yield at
    if isinstance(node, Group):
        for key, child in node.children.items():
            yield from every_path(child, (*at, key))
        if node.named is not None:
            for name in ("fs_create_file", "x"):
                yield from every_path(node.named, (*at, name))


PATHS = sorted(set(every_path(SCHEMA)))
ODD: tuple[Any, ...] = (
    True, False, 0, -1, 10**30, 0.5, float("nan"), float("inf"), "", " ", "x", "\0", "\x1b[31m", "a/b", "user", "off",
    "x" * 70_000, [], [1], [[]], ["x", None], [{}], [{"path": 3}], {}, {"x": 1}, {"": {}}, {"program": []},
    {"model": 3}, {"escalation": "no"}, {"state": "x"}, {"run": {}}, {"result": 1}, {"content": []}, [{"content": []}],
    datetime.date(2026, 1, 1), datetime.time(1, 2), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
)  # fmt: skip


def used(tree: dict[str, Any]) -> None:
    """A layer with this in it: refused, or taken up and used in full."""
    good, flaws = check(tree, SCHEMA)
    if flaws:
        for flaw in flaws:
            assert flaw.message and dotted(flaw.path), "it is said what is wrong, and where"
    made = Settings([*BUILTIN, Layer("user", "config.toml", good)])
    try:
        toolset.tools(made)
        providers.choose(made, providers.providers(made, {}), {})
    except SettingsError as error:
        assert str(error).replace("\n", "").isprintable()
    typed_settings.assistant(made)
    assert {"retry_with_intent", "list_tools", "on_failure"} <= made.get("conversation", "inquiry").keys()
    typed_settings.look_settings(made)
    typed_settings.interrupts(made)


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for part in reversed(path):
        value = {part: value}
    return value  # type: ignore[no-any-return]


@partly(3)
@pytest.mark.parametrize("path", PATHS, ids=dotted)
def test_every_key_takes_or_refuses_every_kind_of_value(path: tuple[str, ...]) -> None:
    for value in ODD:
        used(nested(path, value))


def test_every_leaf_refuses_something_or_is_free() -> None:
    """So that the test above is about checks that check."""
    for path in PATHS:
        refused = sum(bool(check(nested(path, value), SCHEMA)[1]) for value in ODD)
        assert refused >= 3, dotted(path)
    assert any(isinstance(child, Leaf) for child in SCHEMA.children["ui"].children.values())  # type: ignore[union-attr]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PATHS), VALUES), max_size=3))
def test_several_keys_at_once(pairs: list[tuple[tuple[str, ...], Any]]) -> None:
    tree: dict[str, Any] = {}
    for path, value in pairs:
        tree |= nested(path, value)
    used(tree)
    layers.from_conversation([tree], {})
