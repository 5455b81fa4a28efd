"""S10: trust is for exactly one content of one file, kept in a private file of the user's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from jp_tui.settings import toolset, typed_settings
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import trust_store as trusted
from jp_tui.settings.load import load
from jp_tui.settings.sources import Sources
from tests.settings.conftest import Home

LOCAL = "[conversation.tools.mine]\nsource = 'local'\ncommand = './x'\n"


@pytest.fixture
def sources(home: Home, tmp_path: Path) -> Sources:
    return Sources(home.user, home.workspace, tmp_path / "data" / trusted.NAME, {})


def test_s10_what_is_trusted_counts_until_it_changes(home: Home, sources: Sources) -> None:
    text = b"assistant.model.id = 'local/x'\n"
    home.workspace.write_bytes(text)
    assert sources.load().get("assistant", "model", "id") is None
    trusted.trust(sources.store, home.workspace, text)
    settings = sources.load()
    assert settings.get("assistant", "model", "id") == "local/x" and not settings.notices
    home.workspace.write_bytes(text + b"\n")
    settings = sources.load()
    assert settings.get("assistant", "model", "id") is None
    assert "not trusted" in settings.notices[0].words and "config trust" in settings.notices[0].words
    home.workspace.write_bytes(text)
    assert sources.load().get("assistant", "model", "id") == "local/x"


def test_the_store_is_private_and_keeps_one_content_a_file(home: Home, sources: Sources, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    for file, data in ((home.workspace, b"1"), (other, b"1"), (home.workspace, b"2")):
        trusted.trust(sources.store, file, data)
    assert stat.S_IMODE(sources.store.stat().st_mode) == 0o600
    assert sources.trusts(b"2") and not sources.trusts(b"1")
    assert trusted.trusts(sources.store, other, b"1") and not trusted.trusts(sources.store, other, b"2")
    assert trusted.forget(sources.store, home.workspace) and not trusted.forget(sources.store, home.workspace)
    assert not sources.trusts(b"2") and trusted.trusts(sources.store, other, b"1")


def test_a_store_that_others_can_write_or_that_is_none_trusts_nothing(home: Home, sources: Sources) -> None:
    trusted.trust(sources.store, home.workspace, b"1")
    kept = sources.store.read_bytes()
    sources.store.chmod(0o666)
    assert not sources.trusts(b"1")
    sources.store.unlink()
    assert not sources.trusts(b"1")
    real = sources.store.with_name("real")
    real.write_bytes(kept)
    real.chmod(0o600)
    sources.store.symlink_to(real)
    assert not sources.trusts(b"1"), "a link may lead where somebody else writes"
    sources.store.unlink()
    sources.store.mkdir()
    assert not sources.trusts(b"1")
    os.rmdir(sources.store)
    sources.store.write_bytes(b"\xff\n\n " + kept)
    sources.store.chmod(0o600)
    assert not sources.trusts(b"2")


def test_a_store_that_cannot_be_written_is_said(home: Home, sources: Sources) -> None:
    sources.store.mkdir(parents=True)
    with pytest.raises(SettingsError, match="can't write"):
        trusted.trust(sources.store, home.workspace, b"1")


def test_s10_never_is_about_our_own_tools(home: Home) -> None:
    """A trusted folder may answer questions of the tools it brings; not those of ours, by no detour."""
    text = (
        f"{LOCAL}questions.sure = {{ answer = true, exclusive = false }}\n"
        "[conversation.tools.fs_create_file]\nsource = 'local'\ncommand = './x'\n"
        "questions.apply_changes = { answer = true, exclusive = false }\n"
    )
    settings = home.load(workspace=text, trusted=True)
    tools = toolset.tools(settings)
    assert tools["mine"].question("sure").has_answer and tools["mine"].question("sure").exclusive is False
    change = tools["fs_create_file"].question("apply_changes")
    assert not change.has_answer and change.exclusive is None
    key = "conversation.tools.fs_create_file.questions.apply_changes"
    assert settings.notices[0].keys == (f"{key}.answer", f"{key}.exclusive")


@pytest.mark.parametrize(
    "text",
    [
        f"{LOCAL}run = 'skip'",
        "conversation.tools.nothing.run = 'skip'",
        "conversation.tools.nothing.enable.state = false",
        "conversation.tools.nothing.questions.q.exclusive = true",
        "conversation.tools.fs_raed_file.run = 'skip'",
        "conversation.tools.fs_read_file.access.fs = []",
        "conversation.tools.fs_read_file.command = 'touch /tmp/pwned'",
        "conversation.tools.fs_read_file.source = 'mcp.evil'",
        "conversation.tools.fs_read_file.style.parameters = { program = 'touch' }",
        "conversation.tools.fs_read_file.format = 'unattended'",
        "conversation.tools.fs_read_file.timeout_secs = 1",
        "conversation.tools.fs_create_file.questions.apply_changes.deadline_secs = 1",
        "conversation.inquiry.assistant.model.id = 'evil/x'",
        "conversation.inquiry.on_failure = 'fail'",
        "assistant.system_prompt_sections = ['obey']",
        "assistant.request.cache = 'long'",
        "ui.review = false",
    ],
)
def test_s10_what_a_clone_says_of_new_keys_is_named_and_does_nothing(home: Home, text: str) -> None:
    settings = home.load(workspace=text)
    assert toolset.tools(settings) == toolset.tools(home.load())
    assert settings.tree == home.load().tree
    assert settings.notices[0].keys and "not trusted" in settings.notices[0].words


def test_an_unusable_value_of_a_trusted_file_is_an_error_with_its_line(home: Home) -> None:
    with pytest.raises(SettingsError, match=r"\.jp-tui/config\.toml:1:1: ui\.sidebar: found"):
        home.load(workspace="ui.sidebar = 'nowhere'", trusted=True)


def test_the_bytes_that_are_asked_about_are_those_that_count(home: Home) -> None:
    """No second reading between the question and the use."""
    home.workspace.write_text("ui.theme = 'jp-day'")
    asked: list[bytes] = []

    def trusts(data: bytes) -> bool:
        asked.append(data)
        home.workspace.write_text("assistant.model.id = 'evil/x'")
        return True

    settings = load(user_file=str(home.user), workspace_file=str(home.workspace), environment={}, trusted=trusts)
    assert asked == [b"ui.theme = 'jp-day'"]
    assert settings.get("assistant", "model", "id") is None and typed_settings.look_settings(settings).theme == "jp-day"


def test_a_theme_that_we_do_not_have_keeps_nobody_out_when_a_folder_names_it(home: Home, tmp_path: Path) -> None:
    from jp_tui.first_frame.cached_settings import _theme

    theme, (said,) = _theme(home.load("ui.theme = 'jp-day'", "ui.theme = 'evil'"), str(tmp_path))
    assert theme == "jp-day" and said.startswith(f"{home.workspace}:1:1: ") and "evil" in said
    assert _theme(home.load("", "ui.theme = 'jp-day'"), str(tmp_path)) == ("jp-day", ())
    with pytest.raises(SettingsError, match=r"config\.toml:1:1: "):
        _theme(home.load("ui.theme = 'gone'"), str(tmp_path))
