"""Every key that can be set, as a list for people (S10, R66): complete, with meaning, value and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.settings.edit import key_list
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.load import load as load_settings
from jp_tui.settings.schema import checks
from jp_tui.settings.schema.keys import SCHEMA, dotted
from jp_tui.settings.schema.nodes import Group, Leaf


def load(folder: Path, text: str = "", environment: dict[str, str] | None = None, **more: str) -> Settings:
    file = folder / "config.toml"
    file.write_text(text)
    return load_settings(
        user_file=str(file), workspace_file=str(folder / "none.toml"), environment=environment or {}, **more
    )


def listed(settings: Settings) -> dict[str, key_list.SettingRow]:
    return {one.key: one for one in key_list.entries(settings, {})}


def _fixed(group: Group, path: tuple[str, ...] = ()) -> list[str]:
    found = []
    for name, node in group.children.items():
        found += [dotted((*path, name))] if isinstance(node, Leaf) else _fixed(node, (*path, name))
    return found


def test_every_key_that_has_a_name_is_listed_once_and_means_something(tmp_path: Path) -> None:
    found = key_list.entries(load(tmp_path), {})
    keys = [one.key for one in found]
    assert len(set(keys)) == len(keys) and set(_fixed(SCHEMA)) <= set(keys)
    silent = {
        one.key for one in found if not one.help and not one.key.startswith(("providers.", "conversation.tools."))
    }
    assert silent == set(), "a key without a word about what it does"


def test_what_holds_where_it_comes_from_and_what_would_hold_without_the_file(tmp_path: Path) -> None:
    one = listed(load(tmp_path, '# mine\n[ui]\nsidebar = "hide"\n'))["ui.sidebar"]
    assert (one.value, one.layer, one.own, one.default) == ("hide", "user", True, "auto")
    assert one.place.endswith("config.toml:3") and one.hidden_by == ""
    assert one.kind == checks.Kind("choice", ("auto", "show", "hide"))
    other = listed(load(tmp_path))["ui.sidebar"]
    assert (other.value, other.layer, other.own) == ("auto", "built-in", False)


def test_a_value_of_the_user_that_does_not_count_says_who_hides_it(tmp_path: Path) -> None:
    settings = load(tmp_path, '[ui]\nsidebar = "hide"\n', {"JP_TUI_UI__SIDEBAR": "show"})
    one = listed(settings)["ui.sidebar"]
    assert (one.value, one.own, one.hidden_by) == ("show", True, "JP_TUI_UI__SIDEBAR")


def test_a_tool_has_what_holds_for_all_tools_until_it_has_its_own(tmp_path: Path) -> None:
    """R66."""
    found = listed(load(tmp_path, "[conversation.tools.'*']\ndetached = \"deny\"\n"))
    one = found["conversation.tools.fs_read_file.detached.run"]
    assert (one.value, one.why, one.own) == ("deny", "as for *", False)
    assert found["conversation.tools.'*'.detached.run"].own
    assert "conversation.tools.fs_read_file.description" not in found, "what a tool is, is no setting of people's"


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        (checks.boolean, checks.Kind("boolean")),
        (checks.integer(1, 9), checks.Kind("integer", low=1, high=9)),
        (checks.number(0, 2), checks.Kind("number", low=0, high=2)),
        (checks.matching("a", "an a"), checks.Kind("text")),
        (checks.json_value, checks.Kind("other")),
    ],
)
def test_a_check_says_what_it_takes(check: checks.Check, kind: checks.Kind) -> None:
    assert checks.kind_of(check) == kind
