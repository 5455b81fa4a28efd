"""Several processes that change one file at once: each that says it did, did (S10)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jp_tui.settings.edit import edit
from jp_tui.settings.edit import file_lock as alone
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers, trust_store
from tests.limits import LIMIT

CHILD = """
import sys
from pathlib import Path
from jp_tui.settings.edit import edit
from jp_tui.settings.layers import trust_store as trusted
file, what, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
print("ready", flush=True)
sys.stdin.readline()
for turn in range(5):
    if what == "set":
        edit.set_value(file, ("conversation", "tools", f"{name}{turn}", "run"), "ask")
    elif what == "unset":
        assert edit.unset_value(file, ("conversation", "tools", f"{name}{turn}", "run"))
    elif what == "trust":
        trusted.trust(file, Path(f"/{name}{turn}"), b"x")
    else:
        assert trusted.forget(file, Path(f"/{name}{turn}"))
"""
NAMES = "abcd"


def at_once(file: Path, what: str) -> None:
    """Four processes, started together, five changes each; all of them end well."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(file), what, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in NAMES
    ]
    for child in children:
        assert child.stdout is not None and child.stdin is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        said = child.communicate(timeout=LIMIT)[1]
        assert child.returncode == 0, said


def tools(file: Path) -> set[str]:
    layer = layers.from_file("user", str(file))
    return set(layer.tree.get("conversation", {}).get("tools", {})) if layer else set()


def test_no_write_of_several_processes_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n")
    at_once(file, "set")
    assert tools(file) == {f"{name}{turn}" for name in NAMES for turn in range(5)}
    edit.set_value(file, ("ui", "theme"), "jp-day")
    at_once(file, "unset")
    assert "run" not in file.read_text() and "# mine" in file.read_text() and "jp-day" in file.read_text()


def test_no_trust_of_several_processes_is_lost(tmp_path: Path) -> None:
    store = tmp_path / "trusted-workspaces"
    at_once(store, "trust")
    places = [Path(f"/{name}{turn}") for name in NAMES for turn in range(5)]
    assert all(trust_store.trusts(store, place, b"x") for place in places)
    at_once(store, "forget")
    assert not any(trust_store.trusts(store, place, b"x") for place in places)


def test_who_waits_too_long_is_told_who_it_was_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("ui.theme = 'a'\n")
    monkeypatch.setattr(alone, "WAIT_SECS", 0.05)
    with alone.locked(file), pytest.raises(SettingsError, match=r"config\.toml: ui\.theme: has been locked by jp-tui"):
        edit.set_value(file, ("ui", "theme"), "b")
    assert file.read_text() == "ui.theme = 'a'\n"
    edit.set_value(file, ("ui", "theme"), "b")
    assert "'b'" in file.read_text() or '"b"' in file.read_text()


def test_what_changes_nothing_needs_no_lock_and_makes_no_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    assert not edit.unset_value(file, ("ui", "theme"))
    assert not trust_store.forget(file, tmp_path)
    with pytest.raises(SettingsError):
        edit.set_value(file, ("ui", "them"), "x")
    assert not file.parent.exists()
