"""The audit of what we pin: a finding fails it, an unreachable service does not and is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import Answer, in_thread
from tests.house import audit

PINS = "# ours\nhttpx==0.28.1\ntypes-x==4.26.0.20261006\n"
FOUND = {"results": [{"vulns": [{"id": "PYSEC-1", "modified": "x"}]}, {}]}


def answer(value: Any, status: int = 200) -> Answer:
    return Answer([json.dumps(value).encode()], status, {"content-type": "application/json"}, framing="length")


def audited(folder: Path, capsys: pytest.CaptureFixture[str], *answers: Answer) -> tuple[int, str, list[Any]]:
    """The status, what was said, and what was sent."""
    (folder / "pins").write_text(PINS)
    with in_thread(*answers) as server:
        status = audit.main(["--service", server.url, "--pins", f"{folder}/pins"])
        sent = [one.json if one.body else one.path for one in server.received]
    return status, capsys.readouterr().out, sent


def test_a_finding_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said, sent = audited(tmp_path, capsys, answer(FOUND), answer({"id": "PYSEC-1", "summary": "It leaks."}))
    assert status == 1 and "httpx 0.28.1: PYSEC-1: It leaks." in said
    names = [(one["package"]["name"], one["version"]) for one in sent[0]["queries"]]
    assert names == [("httpx", "0.28.1"), ("types-x", "4.26.0.20261006")] and sent[1] == "/v1/vulns/PYSEC-1"


def test_one_that_is_waived_or_withdrawn_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert audited(tmp_path, capsys, answer(FOUND), answer({"withdrawn": "2026-01-01"}))[0] == 0
    monkeypatch.setitem(audit.WAIVED, "PYSEC-1", "we do not use it")
    status, said, _ = audited(tmp_path, capsys, answer(FOUND), answer({"summary": "It leaks."}))
    assert status == 0 and "waived: we do not use it" in said


@pytest.mark.parametrize(
    "given", [answer({}, 503), Answer([b"<html>"], framing="length"), answer([1]), answer({"results": [{}]})]
)
def test_a_service_that_cannot_tell_is_no_finding_and_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: Answer
) -> None:
    status, said, _ = audited(tmp_path, capsys, given)
    assert status == 0 and "not possible here" in said and "Nothing is known about 2 packages" in said


def test_one_that_is_not_there_neither(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(["--service", "http://127.0.0.1:9"]) == 0
    assert "not possible here" in capsys.readouterr().out


def test_nothing_known_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said, _ = audited(tmp_path, capsys, answer({"results": [{}, {}]}))
    assert status == 0 and "2 packages, 0 with a known vulnerability" in said


def test_every_pin_is_asked_about() -> None:
    lines = [line for line in (audit.ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    assert len(audit.pins("\n".join(lines))) == len(lines) > 40
