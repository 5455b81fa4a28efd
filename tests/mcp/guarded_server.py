"""A small MCP server behind a login, and a strict authorization server, in one: for tests of P60.

What it does wrong is set in `odd`. `seen` has every request as method, path, and whether it had a bearer token.
"""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import secrets
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.limits import LIMIT

TOOLS = ("echo", "admin")
"""`admin` needs the scope of the same name."""


class GuardedServer:
    """See above. `life` is that of its tokens in seconds; `canary` is part of everything that is secret."""

    def __init__(self, canary: str = "canary") -> None:
        self.canary, self.life, self.odd = canary, 3600, dict[str, Any]()
        self.seen: list[tuple[str, str, bool]] = []
        self.asked: list[dict[str, str]] = []
        self.ended: list[tuple[str, bool]] = []
        self.registered: dict[str, dict[str, Any]] = {}
        self.tokens: dict[str, set[str]] = {}
        self.renewals: dict[str, tuple[str, set[str]]] = {}
        self._codes: dict[str, dict[str, str]] = {}
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.base}/mcp"

    def serve(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def paths(self) -> list[str]:
        return [path for _, path, _ in self.seen]

    def secret(self) -> str:
        return f"{self.canary}-{secrets.token_urlsafe(12)}"

    def revoke(self, *, renewals: bool = False) -> None:
        self.tokens.clear()
        if renewals:
            self.renewals.clear()

    # --- documents --------------------------------------------------------------------------------------------

    def resource(self) -> dict[str, Any]:
        return {
            "resource": self.url,
            "authorization_servers": [self.odd.get("issuer_named", self.base)],
            "scopes_supported": ["read"],
        }

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "registration_endpoint": f"{self.base}/register",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
            **self.odd.get("metadata", {}),
        }

    # --- the login --------------------------------------------------------------------------------------------

    def register(self, said: dict[str, Any]) -> dict[str, Any]:
        assert said["client_name"] == "jp-tui" and said["application_type"] == "native"
        assert all(uri.startswith("http://127.0.0.1:") for uri in said["redirect_uris"])
        made = {**said, "client_id": f"c{len(self.registered)}", "client_secret": self.secret()}
        made["token_endpoint_auth_method"] = "client_secret_post"
        self.registered[made["client_id"]] = made
        return made

    def authorize(self, given: dict[str, str]) -> str:
        """Check a request for a login; return where the browser goes."""
        client = self.registered[given["client_id"]]
        assert given["response_type"] == "code" and given["code_challenge_method"] == "S256"
        assert given["resource"] == self.url and len(given["state"]) > 30
        assert client.get("any_port") or given["redirect_uri"] in client["redirect_uris"]
        self.asked.append(given)
        back = {"state": self.odd.get("state", given["state"]), "iss": self.odd.get("iss", self.base)}
        if "refuses" in self.odd:
            back |= {"error": self.odd["refuses"], "error_description": "No\x1b[2J!"}
        else:
            code = back["code"] = self.secret()
            self._codes[code] = given
        return f"{given['redirect_uri']}?{urlencode(back)}"

    def token(self, given: dict[str, str]) -> tuple[int, dict[str, Any]]:
        client = self.registered.get(given.get("client_id", ""))
        if client is None or given.get("client_secret") != client.get("client_secret"):
            return 401, {"error": "invalid_client"}
        assert given["resource"] == self.url
        if given["grant_type"] == "refresh_token":
            if "renewal" in self.odd:
                return int(self.odd["renewal"]), {"error": "invalid_grant"}
            owner, scopes = self.renewals.pop(given["refresh_token"], ("", set()))
            if owner != given["client_id"]:
                return 400, {"error": "invalid_grant"}
        else:
            asked = self._codes.pop(given["code"])
            proof = base64.urlsafe_b64encode(hashlib.sha256(given["code_verifier"].encode()).digest())
            assert proof.decode().rstrip("=") == asked["code_challenge"]
            assert (given["redirect_uri"], given["client_id"]) == (asked["redirect_uri"], asked["client_id"])
            scopes = set(asked.get("scope", "").split())
        access, renewal = self.secret(), self.secret()
        self.tokens[access], self.renewals[renewal] = scopes, (given["client_id"], scopes)
        made = {"access_token": access, "token_type": "bearer", "expires_in": self.life, "refresh_token": renewal}
        return 200, {**made, "scope": " ".join(sorted(scopes))}

    def end(self, given: dict[str, str]) -> int:
        """End a login (RFC 7009); return the status."""
        client = self.registered.get(given.get("client_id", ""))
        if client is None or given.get("client_secret") != client.get("client_secret"):
            return 401
        known = given["token"] in (self.renewals if given["token_type_hint"] == "refresh_token" else self.tokens)
        self.ended.append((given["token_type_hint"], known))
        return int(self.odd.get("end", 200))

    # --- MCP --------------------------------------------------------------------------------------------------

    def answer(self, said: dict[str, Any]) -> dict[str, Any]:
        match said["method"]:
            case "initialize":
                found: dict[str, Any] = {"protocolVersion": said["params"]["protocolVersion"]}
                found |= {"capabilities": {"tools": {}}, "serverInfo": {"name": "guarded", "version": "1"}}
            case "tools/list":
                found = {"tools": [{"name": one, "inputSchema": {"type": "object"}} for one in TOOLS]}
            case _:
                found = {"content": [{"type": "text", "text": "done"}]}
        return {"jsonrpc": "2.0", "id": said["id"], "result": found}


def _handler(at: GuardedServer) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = self._began()
            match parts.path:
                case "/.well-known/oauth-protected-resource/mcp":
                    self._json(200, at.resource())
                case "/.well-known/oauth-authorization-server":
                    self._json(200, at.metadata())
                case "/authorize":
                    where = at.authorize({key: one for key, (one,) in parse_qs(parts.query).items()})
                    self._end(302, b"", Location=where)
                case "/mcp":
                    self._end(405, b"")
                case _:
                    self._end(404, b"")

        def do_POST(self) -> None:
            parts = self._began()
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if parts.path in at.odd.get("redirects", {}):
                self._end(307, b"", Location=at.odd["redirects"][parts.path])
                return
            if parts.path in at.odd.get("breaks", {}):
                status, text = at.odd["breaks"][parts.path]
                self._end(status, text.encode())
                return
            match parts.path:
                case "/register":
                    self._json(201, at.register(json.loads(body)))
                case "/token":
                    self._json(*at.token({key: one for key, (one,) in parse_qs(body.decode()).items()}))
                case "/revoke":
                    self._end(at.end({key: one for key, (one,) in parse_qs(body.decode()).items()}), b"")
                case "/mcp":
                    self._mcp(json.loads(body))
                case _:
                    self._end(404, b"")

        def do_DELETE(self) -> None:
            self._began()
            self._end(405, b"")

        def _mcp(self, said: dict[str, Any]) -> None:
            scopes = at.tokens.get(self.headers.get("authorization", "").removeprefix("Bearer "))
            if scopes is None and not at.odd.get("open"):
                where = f'Bearer resource_metadata="{at.base}/.well-known/oauth-protected-resource/mcp"'
                self._end(401, b"", **{"WWW-Authenticate": where})
            elif "id" not in said:
                self._end(202, b"")
            elif said.get("params", {}).get("name") == "admin" and "admin" not in (scopes or ()):
                self._end(403, b"", **{"WWW-Authenticate": 'Bearer error="insufficient_scope", scope="admin"'})
            else:
                self._json(200, at.answer(said))

        def _began(self) -> Any:
            parts = urlsplit(self.path)
            at.seen.append((self.command, parts.path, "authorization" in self.headers))
            return parts

        def _json(self, status: int, value: dict[str, Any]) -> None:
            self._end(status, json.dumps(value).encode(), **{"Content-Type": "application/json"})

        def _end(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler


@contextmanager
def guarded() -> Iterator[GuardedServer]:
    """A server that runs."""
    made = GuardedServer()
    made.serve()
    try:
        yield made
    finally:
        made.close()


def browse(url: str) -> int:
    """Open a page as a browser does, with all its redirects; return the last status."""
    try:
        with urllib.request.urlopen(url, timeout=LIMIT) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
