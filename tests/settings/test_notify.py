"""E50, S10, S11: what may stand in `[notify]`, from where, and what it means."""

from __future__ import annotations

import pytest

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.schema.notify import NOTIFY, Notify
from jp_tui.settings.typed_settings import notify
from tests.settings.conftest import Home


def test_what_holds_without_a_word_of_the_user_is_what_the_type_says(home: Home) -> None:
    assert notify(home.load()) == Notify()


def test_every_key_has_a_value_and_a_word_of_help(home: Home) -> None:
    assert set(home.load().get("notify")) == set(NOTIFY.children)
    assert all(leaf.help for leaf in NOTIFY.children.values())  # type: ignore[union-attr]


def test_s11_each_from_a_file_or_a_variable(home: Home) -> None:
    settings = home.load(
        "[notify]\nbell = false\ntitle = false\ndesktop = 'osc777'\nturn_secs = 0",
        environment={
            "JP_TUI_NOTIFY__WHEN": "always",
            "JP_TUI_NOTIFY__TEXT": "false",
            "JP_TUI_NOTIFY__COMMAND": '["notify-send", "{title}"]',
        },
    )
    assert notify(settings) == Notify(
        when="always",
        title=False,
        desktop="osc777",
        bell=False,
        text=False,
        turn_secs=0,
        command=("notify-send", "{title}"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("desktop = 'osc7'", 'found "osc7" (allowed: auto, off, osc99, osc777, osc9)'),
        ("desktop = true", "found true"),
        ("when = 'never'", "allowed: unfocused, always"),
        ("turn_secs = -1", "whole number from 0"),
        ("turn_secs = true", "whole number from 0"),
        ("command = 'notify-send x'", "expected a list of texts"),
        ("command = ['a', 3]", "command[1]: expected text, found 3"),
        ("command = ['']", "command[0]: expected text that is not empty"),
        ('command = ["a", "b\\u0000"]', "without a NUL"),
        ("bel = true", "Did you mean notify.bell?"),
    ],
)
def test_what_it_cannot_be_is_said_with_its_place(home: Home, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load(f"[notify]\n{text}")
    assert said in str(caught.value) and ":2:1:" in str(caught.value)


def test_s10_a_folder_runs_nothing_and_lets_no_question_out(home: Home) -> None:
    """What displays counts; a command waits for trust; text may be withheld and never let out."""
    theirs = "[notify]\ncommand = ['evil']\nbell = false\n"
    settings = home.load(workspace=theirs)
    assert notify(settings) == Notify(bell=False)
    (notice,) = settings.notices
    assert notice.keys == ("notify.command",)
    assert notify(home.load(workspace=theirs, trusted=True)).command == ("evil",)
    assert not notify(home.load(workspace="notify.text = false")).text
    settings = home.load("notify.text = false", "notify.text = true")
    assert not notify(settings).text and settings.notices[0].keys == ("notify.text",)
