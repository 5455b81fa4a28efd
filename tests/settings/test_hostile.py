"""The recorded group `config` of hostile input, case by case."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import toml
from jp_tui.system.paths import Paths
from tests.hostile.recorded import cases
from tests.settings.conftest import Home


def grown(payload: dict[str, Any]) -> str:
    """A generated payload, written out."""
    match payload["op"]:
        case "lit":
            return str(payload["s"])
        case "repeat":
            return str(payload["s"]) * int(payload["n"])
        case "concat":
            return "".join(grown(part) for part in payload["parts"])
    raise AssertionError(payload["op"])


def test_every_recorded_case_ends_safely(home: Home) -> None:
    plain = home.load().tree
    looked_at = 0
    for case in cases("config").values():
        payload = case["payload"]
        if payload["kind"] == "gen":
            data = grown(payload).encode()
            begun = time.process_time()  # a machine that is busy otherwise does not count
            with pytest.raises(SettingsError) as caught:
                toml.parse(data, "config.toml")
            assert time.process_time() - begun < case.get("limits", {}).get("wall_s", 1), case["id"]
            assert caught.value.first.file == "config.toml" and caught.value.first.line, case["id"]
        elif payload.get("layer") == "project":
            settings = home.load(workspace=payload["toml"])
            assert settings.tree == plain, case["id"]
            assert settings.notices and settings.notices[0].keys, case["id"]
        elif "toml" in payload:  # a key of a later version: refused by name, never half understood
            with pytest.raises(SettingsError, match="isn't a valid key"):
                home.load(payload["toml"])
        elif "dotenv" in payload:
            (home.workspace.parent.parent / ".env").write_text(payload["dotenv"])
            (home.workspace.parent / ".env").write_text(payload["dotenv"])
            assert home.load().tree == plain, case["id"]
            assert Paths.of({"HOME": "/home/x"}).config == Path("/home/x/.config/jp-tui"), case["id"]
        else:
            (step,) = payload["steps"]
            name, _, value = step.removesuffix(" in env").partition("=")
            settings = home.load(environment={name: value})
            assert settings.tree == plain and name in settings.notices[0].words, case["id"]
        looked_at += 1
    assert looked_at == len(cases("config")) >= 12
