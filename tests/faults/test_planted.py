"""Twenty secrets are planted and none is found (`python -m tests.faults --only secrets`); the look would find one."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.settings import providers
from jp_tui.ui.failures import crash_report
from tests.faults import leaks_crash, leaks_run, planted
from tests.faults.planted import ENVIRONMENT, HEADER, KEY, PLANTS, leaks

SAID = {plant.planted for plant in PLANTS}


def test_r202_t7_t10_none_of_twenty_is_found_after_a_conversation(tmp_path: Path) -> None:
    """In children, store, state, exports, words, and requests to another origin (redirects included)."""
    assert len(PLANTS) >= 20 and len({plant.value for plant in PLANTS}) == len(PLANTS)
    evidence = leaks_run.run(tmp_path)
    assert not list(leaks(evidence))
    sent = b"".join(data for place, data in evidence.items() if place.startswith(planted.OWN))
    assert KEY.value.encode() in sent and HEADER.value.encode() in sent, "where they are meant to go"
    assert any(place.startswith("environment of child") for place in evidence)
    assert any(place.endswith("conversations.db") for place in evidence)
    assert not [place for place in evidence if place.startswith("another server")], "nothing at all goes there"


@pytest.mark.pty
def test_t7_none_is_found_after_a_crash_that_says_them_all(tmp_path: Path) -> None:
    assert not list(leaks(leaks_crash.run(tmp_path)))


@pytest.mark.parametrize("form", sorted(planted.forms(planted.ODD.value)))
def test_the_look_finds_what_is_there(form: bytes) -> None:
    (found,) = leaks({"file: x": b"before " + form + b" after"})
    assert found.startswith(planted.ODD.name)
    assert list(leaks({"own server: 1": KEY.value.encode(), "another server: 1": KEY.value.encode()})) != []
    assert not list(leaks({"own server: 1": KEY.value.encode()}))


def test_t7_what_is_in_a_variable_without_a_telling_name_does_not_survive() -> None:
    environment = {name: plant.planted for name, plant in ENVIRONMENT.items()}
    for plant in ENVIRONMENT.values():
        for form in planted.forms(plant.value):
            text = f"x {form.decode()} y"
            assert form.decode() not in crash_report.redact(text, environment), plant


def test_t7_what_is_ordinary_stays() -> None:
    """A report that hides paths, versions and places helps nobody."""
    environment = {
        "PATH": "/usr/bin", "TERM": "xterm-256color", "LANG": "de_DE.UTF-8", "PWD": "/srv/project-2026/x", "SHLVL": "1",
        "LESSOPEN": "| /usr/bin/lesspipe %s", "XDG_SESSION_ID": "session-000012",
        "EDITOR": "nano", "OLDPWD": "~/notes-2026-11",
    }  # fmt: skip
    text = "\n".join(environment.values())
    assert crash_report.redact(text, environment) == text


def test_t7_a_configured_header_is_kept_out_of_reports() -> None:
    known = {"a": providers.ProviderSettings("a", "openai-chat", "http://h/v1", "A_KEY", {"x-gate": "open sesame"})}
    found = [one.reveal() for one in providers.secrets(known, {"A_KEY": "k"})]
    assert found == ["k", "open sesame"]
