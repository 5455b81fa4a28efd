"""The end of a login at its authorization server (mcp.md P60, RFC 7009), without a server."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from jp_tui.mcp_host.login import Login
from jp_tui.mcp_host.token_store import TokenStore

URL = "https://docs.example/mcp"
CLIENT = {"client_id": "c", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"}
TOKENS = {"access_token": "canary-a", "token_type": "bearer", "refresh_token": "canary-r"}
ISSUER = "https://login.example"
ABOUT = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "revocation_endpoint": f"{ISSUER}/revoke",
}


async def ended(folder: Path, *statuses: int, about: Any = ABOUT, tokens: Any = TOKENS) -> tuple[str | None, list[Any]]:
    """End a kept login; return what came of it, and the forms that were sent."""
    TokenStore(folder, keyring=False).save(URL, {"client": {**CLIENT, "redirect_uris": ["http://127.0.0.1/callback"]},
                                                 "tokens": tokens, "metadata": about})  # fmt: skip
    sent: list[Any] = []
    left = list(statuses)

    async def send(request: Any) -> Any:
        assert request.method == "POST" and "authorization" not in request.headers
        sent.append((str(request.url), parse_qs(request.content.decode())))
        return SimpleNamespace(status_code=left.pop(0))

    async def never(*_: Any) -> Any:
        raise AssertionError("nobody is asked")

    given = {"name": "docs", "folder": str(folder), "keyring": False, "client_id": "", "client_secret": "",
             "client_metadata_url": "", "scopes": [], "redirect_port": None, "asks": "", "fresh": False}  # fmt: skip
    login = Login(URL, given, may_ask=lambda: False, ask=never, asked=never, hide=lambda _: None, log=lambda _: None)
    return await login.end(send), sent


async def test_both_tokens_are_ended_the_longer_one_first(tmp_path: Path) -> None:
    said, sent = await ended(tmp_path, 200, 200)
    assert said == "" and [url for url, _ in sent] == [f"{ISSUER}/revoke"] * 2
    assert [form["token"] + form["token_type_hint"] for _, form in sent] == [
        ["canary-r", "refresh_token"],
        ["canary-a", "access_token"],
    ]
    assert all((form["client_id"], form["client_secret"]) == (["c"], ["s"]) for _, form in sent)


@pytest.mark.parametrize(
    ("statuses", "says"),
    [((503,), "HTTP status 503"), ((307,), "HTTP status 307"), ((200, 400), ""), ((200, 500), "HTTP status 500")],
)
async def test_a_failure_is_named(tmp_path: Path, statuses: tuple[int, ...], says: str) -> None:
    """A server may end both tokens with the first, and know the second no more."""
    assert (await ended(tmp_path, *statuses))[0] == says


@pytest.mark.parametrize("where", ["http://login.example/end", "https://me@login.example/end", "https://a b/end"])
async def test_an_address_that_no_login_may_use_gets_nothing(tmp_path: Path, where: str) -> None:
    said, sent = await ended(tmp_path, about={**ABOUT, "revocation_endpoint": where})
    assert not sent and (said is None or said.endswith("isn't an https address"))


@pytest.mark.parametrize(
    "more", [{"about": {**ABOUT, "revocation_endpoint": None}}, {"about": None}, {"tokens": None}], ids=str
)
async def test_without_an_address_or_a_token_there_is_nothing_to_end(tmp_path: Path, more: dict[str, Any]) -> None:
    assert await ended(tmp_path, **more) == (None, [])
