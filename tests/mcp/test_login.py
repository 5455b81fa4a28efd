"""Logins at servers behind HTTP (mcp.md P60), against a small strict authorization server. The SDK runs in its host, as
always; the browser is a thread."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from jp_tui.mcp.connection import (
    Connection,
    KeptLogin,
    Launch,
    LoginSetup,
    McpProblem,
    OpenCall,
    StepAsked,
    StepDone,
    StepFailed,
)
from jp_tui.mcp.host import McpHost
from jp_tui.mcp.servers import McpServers
from jp_tui.mcp.values import McpFailure, McpListing, McpOAuth, McpServer
from jp_tui.mcp_host.token_store import FOLDER, TokenStore
from jp_tui.startup.mcp.user_login import UserLogin
from tests.mcp.guarded_server import GuardedServer, browse, guarded

pytestmark = pytest.mark.asyncio(loop_scope="module")
NEEDED = "peer needs a login: jp-tui mcp login peer"
NEVER = "the page isn't opened"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host() -> AsyncIterator[McpHost]:
    made = McpHost()
    yield made
    await made.close()


@pytest.fixture
def peer() -> Iterator[GuardedServer]:
    with guarded() as made:
        yield made


class User:
    """A user with a data folder and a browser, at one server."""

    def __init__(self, host: McpHost, peer: GuardedServer, folder: Path) -> None:
        self._host, self.peer, self.folder = host, peer, folder
        self.pages: list[str] = []
        self.statuses: list[int] = []
        self.answered = asyncio.Event()
        self.opened: list[Connection] = []
        self.oauth, self.secret = McpOAuth(), ""

    @property
    def log(self) -> str:
        return (self.folder / "l.log").read_text()

    @property
    def kept(self) -> Any:
        return TokenStore(self.folder, keyring=False).load(self.peer.url)

    async def start(self, **more: Any) -> Connection:
        """Start the server; no login is asked for unless with `asks`."""
        setup = LoginSetup(str(self.folder), False, self.oauth, self.secret, **more)
        server = McpServer("peer", url=self.peer.url, protocol="2025-11-25", max_message_bytes=1 << 20)
        launch = Launch(server, "/", {}, {}, str(self.folder / "l.log"), "file:///w", "1", login=setup)
        connection = Connection(launch, lambda _: None, lambda _: None)
        self.opened.append(connection)
        await connection.start(self._host, self.shows)
        return connection

    async def log_in(self, *, fresh: bool = False) -> Connection:
        return await self.start(asks="start", fresh=fresh)

    def shows(self, url: str) -> None:
        self.pages.append(url)
        self._browsing = asyncio.create_task(self.browse(url))

    async def browse(self, url: str) -> None:
        self.statuses.append(await asyncio.to_thread(browse, url))
        self.answered.set()

    async def close(self) -> None:
        for one in self.opened:
            one._close("over")


@pytest_asyncio.fixture(loop_scope="module")
async def user(host: McpHost, peer: GuardedServer, tmp_path: Path) -> AsyncIterator[User]:
    made = User(host, peer, tmp_path)
    yield made
    await made.close()


async def done(call: OpenCall) -> str:
    step = await call.step()
    assert isinstance(step, StepDone), step
    return str(step.result["content"][0]["text"])  # type: ignore[index, call-overload]


async def failed(call: OpenCall) -> str:
    step = await call.step()
    assert isinstance(step, StepFailed), step
    return step.error


async def test_a_login_is_kept_for_later_runs_in_a_file_of_the_user(user: User) -> None:
    """Registered, with PKCE, resource, scope and issuer (the server checks them); 0700 and 0600."""
    connection = await user.log_in()
    assert connection.login is not None and (connection.login.place, connection.login.problem) == ("file", "")
    assert await done(connection.call("echo", {})) == "done"
    assert user.statuses == [200] and user.peer.asked[0]["scope"] == "read"
    folder = user.folder / FOLDER
    (file,) = folder.glob("*.json")
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)
    later = await user.start()
    assert later.login is None and await done(later.call("echo", {})) == "done" and len(user.pages) == 1
    assert user.peer.canary not in user.log


async def test_without_a_login_nothing_but_the_request_is_sent(user: User) -> None:
    """No browser, no registration, no look at other servers."""
    with pytest.raises(McpProblem) as found:
        await user.start()
    assert str(found.value) == NEEDED
    assert user.peer.seen == [("POST", "/mcp", False)] and user.pages == []


async def test_a_token_goes_to_no_other_address(user: User, peer: GuardedServer) -> None:
    await user.log_in()
    with guarded() as other:
        peer.odd["redirects"] = {"/mcp": other.url}
        with pytest.raises(McpProblem):
            await user.start()
        assert other.seen == []
        user.peer = other
        with pytest.raises(McpProblem, match="needs a login"):
            await user.start()
        assert not any(bearer for _, _, bearer in other.seen)


SAYS_NOTHING = "can't be logged in to: {base} has no valid metadata"


@pytest.mark.parametrize(
    ("odd", "says"),
    [
        (
            {"refuses": "access_denied"},
            "can't be logged in to: its authorization server said access_denied (No\x1b[2J!)",
        ),
        (
            {"iss": "https://evil.example"},
            "can't be logged in to: Authorization response iss mismatch: https://evil.ex",
        ),
        (
            {"metadata": {"issuer": "https://evil.example"}},
            "can't be logged in to: Authorization server metadata issuer",
        ),
        ({"metadata": {"authorization_endpoint": "javascript:alert(1)"}}, SAYS_NOTHING),
        (
            {"metadata": {"authorization_endpoint": "http://login.example/authorize"}},
            "can't be logged in to: its login has an address that can't be used (http://login.example/authorize)",
        ),
        (
            {"metadata": {"authorization_endpoint": "https://me@login.example/authorize"}},
            "can't be logged in to: its login has an address that can't be used (https://me@login.example/authorize)",
        ),
        (
            {"metadata": {"token_endpoint": "http://login.example/token"}},
            "can't be logged in to: http://login.example/token isn't an https address",
        ),
        (
            {"issuer_named": "http://login.example"},
            "can't be logged in to: http://login.example/.well-known/oauth-authorization-server isn't an https address",
        ),
        ({"issuer_named": "{other}/none"}, "can't be logged in to: {other}/none has no valid metadata"),
        (
            {"metadata": {"code_challenge_methods_supported": ["plain"]}},
            "can't be logged in to: its authorization server doesn't know PKCE with S256",
        ),
        ({"breaks": {"/register": (403, "go away")}}, "can't be logged in to: Registration failed: 403 go away"),
        ({"breaks": {"/token": (200, "[]")}}, "can't be logged in to: Invalid token response"),
        ({"breaks": {"/token": (500, "oops")}}, "can't be logged in to: Token exchange failed (500): oops"),
        ({"breaks": {"/token": (400, "x" * (2 << 20))}}, "sent a message over 1 MiB"),
        (
            {"redirects": {"/token": "{other}/token"}},
            "can't be logged in to: Token exchange failed (307) (redirected to ",
        ),
    ],
)
async def test_bad_answers_end_the_login_with_their_reason(user: User, odd: dict[str, Any], says: str) -> None:
    """Once, with nothing kept, and nothing sent to where they point."""
    with guarded() as other:
        named = {"base": user.peer.base, "other": other.base}
        user.peer.odd = json.loads(json.dumps(odd).replace("{other}", other.base))
        with pytest.raises(McpProblem) as found:
            await user.log_in()
        assert str(found.value).startswith(f"peer {says.format(**named)}")
        assert not any(method == "POST" for method, _, _ in other.seen)
    assert "valid metadata" not in says or "/register" not in user.peer.paths()
    assert user.kept is None and len(user.pages) <= 1 and user.peer.canary not in user.log


async def test_an_answer_with_another_state_changes_nothing(user: User, peer: GuardedServer) -> None:
    """The browser is told, no code is sent anywhere, and the right answer still counts."""
    peer.odd["state"] = "mine"
    starting = asyncio.create_task(user.log_in())
    await user.answered.wait()
    assert user.statuses == [400] and "/token" not in peer.paths() and not starting.done()
    del peer.odd["state"]
    await user.browse(user.pages[0])
    assert user.statuses == [400, 200] and (await starting).listing is not None
    assert "refused 1 answers of a browser" in user.log


async def test_an_expired_login_is_renewed_before_the_request(user: User, peer: GuardedServer) -> None:
    """Also by a later run, at the authorization server of the login; the renewal is kept."""
    peer.life = -1
    await user.log_in()
    before = user.kept["tokens"]
    peer.seen.clear()
    peer.life = 3600
    connection = await user.start()
    assert await done(connection.call("echo", {})) == "done"
    assert peer.seen[0][1] == "/token" and peer.paths().count("/token") == 1 and "/register" not in peer.paths()
    assert user.kept["tokens"]["refresh_token"] != before["refresh_token"]
    assert user.kept["tokens"]["access_token"] in peer.tokens


async def test_a_revoked_token_is_renewed_once_for_all_requests(user: User, peer: GuardedServer) -> None:
    connection = await user.log_in()
    peer.revoke()
    peer.seen.clear()
    calls = [connection.call("echo", {}) for _ in range(5)]
    assert [await done(one) for one in calls] == ["done"] * 5
    assert peer.paths().count("/token") == 1


async def test_a_renewal_of_another_process_is_taken(user: User, peer: GuardedServer) -> None:
    """A renewal that comes twice could end the login: the second process takes what the first has kept."""
    one, two = await user.log_in(), await user.start()
    peer.revoke()
    assert await done(one.call("echo", {})) == "done"
    peer.seen.clear()
    assert await done(two.call("echo", {})) == "done" and "/token" not in peer.paths()


async def test_a_renewal_that_fails_in_a_call_asks_for_a_login(user: User, peer: GuardedServer) -> None:
    """A P45 question of that call; a no ends the call, and the server goes on. A yes goes on with the call."""
    connection = await user.log_in()
    peer.revoke(renewals=True)
    call = connection.call("echo", {})
    step = await call.step()
    assert isinstance(step, StepAsked) and step.params["mode"] == "url"
    call.answer(step.key, {"result": {"action": "decline"}})
    assert f"peer {await failed(call)}" == NEEDED
    again = connection.call("echo", {})
    step = await again.step()
    assert isinstance(step, StepAsked)
    again.answer(step.key, {"result": {"action": "accept"}})
    await user.browse(str(step.params["url"]))
    assert await done(again) == "done" and connection.alive


async def test_a_refused_login_elsewhere_changes_nothing(user: User, peer: GuardedServer) -> None:
    """What a server says in the middle of a run about another authorization server goes with the user's no."""
    connection = await user.log_in()
    peer.revoke(renewals=True)
    with guarded() as other:
        peer.odd["issuer_named"] = other.base
        call = connection.call("echo", {})
        step = await call.step()
        assert isinstance(step, StepAsked) and str(step.params["url"]).startswith(other.base)
        call.answer(step.key, {"result": {"action": "decline"}})
        assert f"peer {await failed(call)}" == NEEDED
    del peer.odd["issuer_named"]
    step = await connection.call("echo", {}).step()
    assert isinstance(step, StepAsked) and str(step.params["url"]).startswith(peer.base)
    assert peer.paths().count("/register") == 1


async def test_the_clock_of_a_call_stands_while_the_user_logs_in(user: User, peer: GuardedServer) -> None:
    connection = await user.log_in()
    connection.server = McpServer("peer", url=peer.url, call_timeout_secs=0.5)
    peer.revoke(renewals=True)
    call = connection.call("echo", {})
    step = await call.step()
    assert isinstance(step, StepAsked)
    call.answer(step.key, {"result": {"action": "accept"}})
    result = asyncio.create_task(done(call))
    assert not (await asyncio.wait({result}, timeout=1.0))[0]
    await user.browse(str(step.params["url"]))
    assert await result == "done"


async def test_a_cancelled_call_ends_its_login(user: User, peer: GuardedServer) -> None:
    """The next call doesn't wait for it."""
    connection = await user.log_in()
    peer.revoke(renewals=True)
    call = connection.call("echo", {})
    step = await call.step()
    assert isinstance(step, StepAsked)
    call.answer(step.key, {"result": {"action": "accept"}})
    call.cancel()
    step = await connection.call("echo", {}).step()
    assert isinstance(step, StepAsked)


async def test_a_server_out_of_order_ends_no_login(user: User, peer: GuardedServer) -> None:
    connection = await user.log_in()
    peer.revoke()
    peer.odd["renewal"] = 503
    said = await failed(connection.call("echo", {}))
    assert said == "has a login that can't be renewed now (HTTP status 503)"
    del peer.odd["renewal"]
    assert await done(connection.call("echo", {})) == "done" and len(user.pages) == 1


async def test_more_permissions_are_asked_for_when_a_call_needs_them(user: User, peer: GuardedServer) -> None:
    """The earlier ones stay. After a no the next login asks for them."""
    connection = await user.log_in()
    call = connection.call("admin", {})
    step = await call.step()
    assert isinstance(step, StepAsked) and "scope=read+admin" in str(step.params["url"])
    call.answer(step.key, {"result": {"action": "accept"}})
    await user.browse(str(step.params["url"]))
    assert await done(call) == "done" and user.kept["tokens"]["scope"] == "admin read"


async def test_configured_scopes_replace_what_the_server_offers(user: User, peer: GuardedServer) -> None:
    user.oauth = McpOAuth(scopes=("mail", "calendar"))
    await user.log_in()
    assert peer.asked[0]["scope"] == "mail calendar"


async def test_a_configured_client_isnt_registered_and_stays_with_its_server(user: User, peer: GuardedServer) -> None:
    """Its secret is in no file; another authorization server doesn't get it."""
    peer.registered["mine"] = {"client_id": "mine", "client_secret": "canary-mine", "any_port": True}
    user.oauth, user.secret = McpOAuth(client_id="mine", client_secret_env="X"), "canary-mine"
    connection = await user.log_in()
    assert await done(connection.call("echo", {})) == "done" and "/register" not in peer.paths()
    (file,) = (user.folder / FOLDER).glob("*.json")
    assert "canary-mine" not in file.read_text() and "canary-mine" not in user.log
    peer.revoke(renewals=True)
    peer.odd["breaks"] = {"/token": (500, "canary-mine said")}
    with pytest.raises(McpProblem, match=r"Token exchange failed \(500\): \[secret\] said"):
        await user.log_in(fresh=True)
    del peer.odd["breaks"]
    with guarded() as other:
        peer.odd["issuer_named"] = other.base
        with pytest.raises(McpProblem, match="has another authorization server than at the last login"):
            await user.log_in(fresh=True)
        assert not any(method == "POST" for method, _, _ in other.seen)


async def test_a_new_login_replaces_the_old_one(user: User, peer: GuardedServer) -> None:
    """With the registration that is there."""
    await user.log_in()
    before = user.kept["tokens"]["access_token"]
    await user.log_in(fresh=True)
    assert user.kept["tokens"]["access_token"] != before and peer.paths().count("/register") == 1


async def test_a_login_that_cannot_be_kept_is_told_and_holds_for_the_run(user: User) -> None:
    (user.folder / FOLDER).write_text("in the way")
    connection = await user.log_in()
    assert connection.login is not None and "mcp-tokens isn't a folder" in connection.login.problem
    assert await done(connection.call("echo", {})) == "done"


async def test_a_login_in_a_keyring_that_is_gone_is_told(user: User) -> None:
    await user.log_in()
    (file,) = (user.folder / FOLDER).glob("*.json")
    file.write_text(json.dumps({"server": user.peer.url, "in": "keyring"}))
    with pytest.raises(McpProblem) as found:
        await user.start()
    assert str(found.value) == "peer has a login that can't be read: it is in a keyring, and none works here"


async def test_a_server_that_wants_no_login_gets_none(user: User, peer: GuardedServer) -> None:
    peer.odd["open"] = True
    connection = await user.log_in(fresh=True)
    assert connection.login is None and user.pages == [] and peer.seen[0] == ("POST", "/mcp", False)


class Runs:
    """The servers of a run, for a page."""

    def __init__(self, ends: Any = None) -> None:
        self._servers = McpServers({"peer": McpServer("peer", url="https://mcp.example/mcp")}, lambda _: None)  # type: ignore[arg-type, return-value]
        self._ends, self.cancelled = ends, False

    def servers(self) -> McpServers:
        return self._servers

    async def log_in(self, name: str, shows: Callable[[str], None], *, calls: bool = False) -> Any:
        shows("https://login.example/a?state=s")
        if self._ends is not None:
            return self._ends
        try:
            return await asyncio.Event().wait()
        finally:
            self.cancelled = True


async def test_p60_a_login_of_the_page_ends_with_a_sentence_or_its_reason() -> None:
    shown: list[Any] = []
    made = UserLogin(Runs((McpListing("peer", "1"), KeptLogin("keyring"))), "peer", lambda *page: shown.append(page))
    assert await made.run() == "Logged in to peer. The login is kept in your keyring."
    warning = "Warning: this isn't the server's own host (mcp.example)."
    assert shown == [("https://login.example/a?state=s", ["Host: login.example", warning])]
    for ends, says in (((McpFailure("peer", "peer says no."), None), "peer says no."), (None, "was stopped")):
        runs = Runs(ends)
        made = UserLogin(runs, "peer", lambda *_: None)
        running = asyncio.create_task(made.run())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        made.stop()
        with pytest.raises(ValueError, match=says):
            await running
        assert runs.cancelled is (ends is None)
    with pytest.raises(ValueError, match="isn't enabled"):
        await UserLogin(Runs(), "other", lambda *_: None).run()
