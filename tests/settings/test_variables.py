"""S11: a variable that is no key is named itself, with the one that was probably meant."""

from __future__ import annotations

import pytest

from jp_tui.settings.errors import SettingsError
from tests.settings.conftest import Home


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("JP_TUI_INQIRY__MAX_ATTEMPTS", "JP_TUI_INQUIRY__MAX_ATTEMPTS"),
        ("JP_TUI_INQUIRY__MAX_ATEMPTS", "JP_TUI_INQUIRY__MAX_ATTEMPTS"),
        ("JP_TUI_INQIRY__MAX_ATEMPTS", "JP_TUI_INQUIRY__MAX_ATTEMPTS"),
        ("JP_TUI_UI_THEME", "JP_TUI_UI__THEME"),
        ("JP_TUI_THEME", "JP_TUI_UI__THEME"),
        ("JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__RNU", "JP_TUI_CONVERSATION__TOOLS__FS_READ_FILE__RUN"),
        ("JP_TUI_CONVERSATION__TOOLS__ASK_USER__QUESTIONS__Q__TARGT", "…__TARGET"),
        ("JP_TUI_XYZZY__PLUGH", ""),
    ],
)
def test_s11_an_unknown_variable_is_named_with_the_nearest(home: Home, name: str, meant: str) -> None:
    (notice,) = home.load(environment={name: "4"}).notices
    near = meant.replace("…", name.rpartition("__")[0])
    assert notice.keys == (name,)
    assert notice.words.endswith(f": {name} (did you mean {near}?)" if near else f": {name}")


def test_s11_each_of_several_variables_is_named(home: Home) -> None:
    (notice,) = home.load(environment={"JP_TUI_INQIRY__MAX_ATTEMPTS": "4", "JP_TUI_INQIRY__B": "4"}).notices
    assert set(notice.keys) == {"JP_TUI_INQIRY__MAX_ATTEMPTS", "JP_TUI_INQIRY__B"}
    with pytest.raises(
        SettingsError, match=r"^JP_TUI_INQUIRY__MAX_ATTEMPTS__X: inquiry.max_attempts: expected a whole"
    ):
        home.load(environment={"JP_TUI_INQUIRY__MAX_ATTEMPTS__X": "4"})
