"""`jp-tui mcp login | logout` and `test --login` as programs (mcp.md P11, P12, P60), and that no secret of a login is
found anywhere but in its file."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from jp_tui.mcp_host.token_store import FOLDER, TokenStore
from tests.headless.forked import Forked
from tests.headless.running import environment, jp, latest, lines
from tests.mcp.guarded_server import GuardedServer, browse, guarded

SECRET = "canary-of-the-client"


@pytest.fixture
def peer() -> Iterator[GuardedServer]:
    with guarded() as made:
        yield made


def home(folder: Path, peer: GuardedServer, more: str = "") -> Path:
    (folder / "config").mkdir()
    (folder / "config" / "config.toml").write_text(
        f'[providers.mcp.peer]\nurl = "{peer.url}"\nprotocol = "2025-11-25"\n{more}'
        "[providers.mcp.own]\ncommand = 'x'\n"
    )
    return folder


def browsed(there: Path, *words: str, **more: str) -> tuple[int, str, str]:
    """Run a command whose user opens each page that it shows."""
    with Forked(["mcp", *words], env=environment(there, **more), stdin=subprocess.DEVNULL) as child:
        assert child.stdout is not None and child.stderr is not None
        told = []
        for line in child.stderr:
            told.append(line.decode())
            if line.startswith(b"http"):
                browse(line.decode().strip())
        return child.wait(), child.stdout.read().decode(), "".join(told)


def test_p60_login_and_logout_leave_no_secret_anywhere_else(peer: GuardedServer, tmp_path: Path) -> None:
    """Of codes, tokens, the client's secret: in outputs, logs, records, listings and what doctor says."""
    peer.registered["mine"] = {"client_id": "mine", "client_secret": SECRET, "any_port": True}
    there = home(tmp_path, peer, 'oauth = { client_id = "mine", client_secret_env = "PEER_SECRET" }\n')
    said = ""
    status, out, err = browsed(there, "login", "peer", PEER_SECRET=SECRET)
    assert (status, out) == (
        0,
        "Logged in to peer. The login is kept in a file that only you can read. 2 tools.\n",
    )
    assert err.splitlines()[0] == "peer wants you to log in on this page:" and "Host: 127.0.0.1" in err
    said += out + err.replace(peer.asked[0]["state"], "")
    (file,) = (there / "data" / FOLDER).glob("*.json")
    said += jp(there, "mcp", "list", "--json", PEER_SECRET=SECRET).stdout
    said += jp(there, "doctor", PEER_SECRET=SECRET).stdout
    assert "canary" not in said
    for one in there.rglob("*"):
        if one.is_file() and one != file:
            assert b"canary" not in one.read_bytes(), one
    assert SECRET not in file.read_text()
    ran = jp(there, "mcp", "logout", "peer")
    away = "It isn't ended at its server (peer needs the variable PEER_SECRET, which isn't set): look at its own pages."
    assert ran.returncode == 0 and not file.exists()
    assert ran.stdout == f"Logged out of peer: its login is deleted here. {away}\n"
    assert jp(there, "mcp", "logout", "peer").stdout == "No login of peer is kept.\n"


def test_p60_a_logout_ends_the_login_at_its_server(peer: GuardedServer, tmp_path: Path) -> None:
    """RFC 7009: both tokens, as the client that got them; whatever comes of it, the login is deleted here."""
    there = home(tmp_path, peer)
    peer.odd["metadata"] = {"revocation_endpoint": f"{peer.base}/revoke"}
    both = [("refresh_token", True), ("access_token", True)]
    for status, ended, says in (
        (200, both, "Its server ended it too."),
        (503, both[:1], "It isn't ended at its server (HTTP status 503): look at its own pages."),
    ):
        peer.odd["end"] = status
        peer.ended.clear()
        assert browsed(there, "login", "peer")[0] == 0
        ran = jp(there, "mcp", "logout", "peer")
        assert (ran.returncode, ran.stdout) == (0, f"Logged out of peer: its login is deleted here. {says}\n")
        assert peer.ended == ended and not list((there / "data" / FOLDER).glob("*.json"))
    for one in there.rglob("*"):
        assert not one.is_file() or b"canary" not in one.read_bytes(), one


def test_p60_a_login_that_cannot_be_read_is_not_deleted(peer: GuardedServer, tmp_path: Path) -> None:
    """It would stay in the keyring, and at its server."""
    there = home(tmp_path, peer)
    TokenStore(there / "data")._write(peer.url, {"server": peer.url, "in": "keyring"})
    ran = jp(there, "mcp", "logout", "peer", PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")
    said = "peer has a login that can't be read: it is in a keyring, and none works here. Nothing was deleted.\n"
    assert (ran.returncode, ran.stdout) == (1, said) and list((there / "data" / FOLDER).glob("*.json"))


def test_p11_a_test_with_login_shows_every_page_that_its_calls_need(peer: GuardedServer, tmp_path: Path) -> None:
    there = home(tmp_path, peer)
    status, out, err = browsed(there, "test", "peer", "--json", "--login", "--call", "echo", "--call", "admin")
    found = json.loads(out)
    assert status == 0 and [(one["tool"], one["is_error"]) for one in found["calls"]] == [
        ("echo", False),
        ("admin", False),
    ]
    assert err.count("peer wants you to log in") == 2 and len(peer.asked) == 2


def test_p60_a_call_that_wants_more_in_a_turn_asks_a_question_and_leaves_no_secret(
    peer: GuardedServer, tmp_path: Path
) -> None:
    """Nobody is there: the call fails with what to do, and no browser opens. The record has no secret."""
    there, script = home(tmp_path, peer, ""), tmp_path / "script.toml"
    with (there / "config" / "config.toml").open("a") as file:
        file.write('[conversation.tools."mcp.peer.*"]\nrun = "unattended"\n')
    script.write_text('fallback = "Done."\n[[turns]]\ncalls = [{ name = "mcp.peer.admin", arguments = {} }]\n')
    assert browsed(there, "login", "peer")[0] == 0
    ran = jp(there, "query", "--json", "--model", f"demo/{script}", "go", BROWSER="/bin/false")
    found = lines(ran.stdout)
    asked = next(one for one in found if one["type"] == "inquiry_request")
    assert "scope=read+admin" in json.dumps(asked) and len(peer.asked) == 1
    (response,) = [one for one in found if one["type"] == "tool_call_response"]
    assert response["is_error"], response
    said = ran.stdout + ran.stderr + jp(there, "conversations", "export", latest(there)).stdout
    (kept,) = (there / "data" / FOLDER).glob("*.json")
    files = [one.read_bytes() for one in there.rglob("*") if one.is_file() and one != kept]
    assert "canary" not in said and not any(b"canary" in one for one in files)
