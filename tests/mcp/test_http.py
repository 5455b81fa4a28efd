"""Servers behind HTTP that fail (mcp.md P50) or flood (P51), without a server of MCP."""

from __future__ import annotations

import asyncio
import base64
import gzip
import http.server
import json
import re
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.limits import LIMIT

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from jp_tui.mcp.connection import Connection, Launch, McpProblem, StepDone, StepFailed
from jp_tui.mcp.host import McpHost, passed_on
from jp_tui.mcp.values import McpServer
from tests.fakes.certificates import self_signed

pytestmark = pytest.mark.asyncio(loop_scope="module")


CANARY = "canary-5511-bearer"
RAW = str(Path(__file__).with_name("raw_server.py"))


class Odd(http.server.BaseHTTPRequestHandler):
    """Answers by its path: a status, or more than is allowed."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/big":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            try:
                for _ in range(64):
                    self.wfile.write(b"x" * 65536)
            except OSError:
                return
        elif self.path == "/elsewhere":
            self.send_response(307)
            self.send_header("Location", "http://127.0.0.1:9/stolen")
            self.end_headers()
        else:
            self.send_response(int(self.path[1:]))
            self.end_headers()

    do_GET = do_DELETE = do_POST

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host() -> AsyncIterator[McpHost]:
    made = McpHost()
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/401", "peer answered with HTTP status 401: it needs other credentials (bearer_env, headers_from)"),
        ("/500", "peer answered with HTTP status 500"),
        ("/big", "peer sent a message over 1 MiB"),
        ("/elsewhere", "peer said: "),
        ("", "peer can't be reached: "),
    ],
)
async def test_it_fails_with_its_reason(host: McpHost, address: str, tmp_path: Path, path: str, says: str) -> None:
    """P50; a redirect to another origin isn't followed (P60: no token goes there)."""
    url = address + path if path else "http://127.0.0.1:9/mcp"
    server = McpServer("peer", url=url, protocol="2025-11-25", max_message_bytes=1 << 20)
    launch = Launch(server, "/", {}, {"Authorization": "Bearer x"}, str(tmp_path / "l.log"), "file:///w", "1", ("x",))
    with pytest.raises(McpProblem) as found:
        await Connection(launch, lambda _: None, lambda _: None).start(host)
    assert str(found.value).startswith(says), str(found.value)


class Proxy(http.server.BaseHTTPRequestHandler):
    """Refuses every connection that it should make."""

    asked: list[tuple[str, str | None]]

    def do_CONNECT(self) -> None:
        Proxy.asked.append((self.path, self.headers["proxy-authorization"]))
        self.send_response(407)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def serving(handler: type, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Serve on this machine; yield the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server.server_port
    server.shutdown()


async def reached(host: McpHost, folder: Path, **keys: Any) -> tuple[Connection, str]:
    """Start a server; return it, and why it didn't start."""
    server = McpServer("peer", protocol="2025-11-25", **keys)
    launch = Launch(server, str(folder), passed_on({}), {}, str(folder / "peer.log"), "file:///w", "1")
    made = Connection(launch, lambda _: None, lambda _: None)
    try:
        await made.start(host)
    except McpProblem as problem:
        return made, f"{problem} {problem.log} {(folder / 'peer.log').read_text()}"
    return made, ""


async def test_proxies_and_certificates_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P5: the host has them, for servers with a url that aren't on this machine; no program that is a server has."""
    cert, context = self_signed(tmp_path)
    Proxy.asked = []
    host = McpHost()
    with serving(Proxy) as proxy, serving(Flooding, context) as local:
        monkeypatch.setenv("https_proxy", f"http://me:{CANARY}@127.0.0.1:{proxy}")
        monkeypatch.setenv("NO_PROXY", "other.example")
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        _, why = await reached(host, tmp_path, url="https://docs.example/mcp")
        assert why.startswith("peer can't be reached: the proxy refused (407 "), why
        assert Proxy.asked[0][0] == "docs.example:443" and CANARY not in why
        assert base64.b64decode((Proxy.asked[0][1] or "").removeprefix("Basic ")) == f"me:{CANARY}".encode()
        before = len(Proxy.asked)
        made, why = await reached(host, tmp_path, url=f"https://localhost:{local}/mcp")
        assert why == "" and len(Proxy.asked) == before
        await made.close()
        program, why = await reached(host, tmp_path, command=sys.executable, args=(RAW,))
        step = await program.call("echo", {"text": "variables"}).step()
        assert why == "" and "PATH" in str(step) and "proxy" not in str(step).lower() and "SSL" not in str(step)
        await program.close()
    await host.close()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (
            "SSL_CERT_FILE",
            "/nowhere/ca.pem",
            "the certificates of SSL_CERT_FILE or SSL_CERT_DIR can't be read (No such",
        ),
        ("HTTPS_PROXY", f"ftp://me:{CANARY}@proxy.example", "the proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY can't"),
        ("SSL_CERT_DIR", "/", "[SSL: CERTIFICATE_VERIFY_FAILED]"),
    ],
)
async def test_variables_that_cannot_be_used_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    """P5, P50."""
    _, context = self_signed(tmp_path)
    host = McpHost()
    monkeypatch.setenv(name, value)
    with serving(Flooding, context) as local:
        _, why = await reached(host, tmp_path, url=f"https://localhost:{local}/mcp")
    await host.close()
    assert why.startswith(f"peer can't be reached: {says}") and CANARY not in why, why
    assert ("Set SSL_CERT_FILE to your network's certificate authority" in why) is (name == "SSL_CERT_DIR")


class Flooding(http.server.BaseHTTPRequestHandler):
    """A server of 2025-11-25 whose tool sends 3,000 notifications before its result, on one stream of events."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        number, method = message.get("id"), message["method"]
        able = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        results: dict[str, Any] = {
            "initialize": {**able, "serverInfo": {"name": "floods", "version": "1"}},
            "tools/list": {"tools": [{"name": "flood", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "done"}]},
        }
        if number is None:
            self.send_response(202)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        note = {
            "jsonrpc": "2.0",
            "method": "notifications/message",
            "params": {"level": "info", "data": self.headers["authorization"]},
        }
        notes = [note] * 3000 if method == "tools/call" else []
        for one in (*notes, {"jsonrpc": "2.0", "id": number, "result": results[method]}):
            self.wfile.write(f"event: message\ndata: {json.dumps(one)}\n\n".encode())

    def do_GET(self) -> None:
        self.send_response(405)
        self.end_headers()

    do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        return


class Moody(http.server.BaseHTTPRequestHandler):
    """A server of 2025-11-25 with a session; what its tool is told to do wrong is done to that request alone."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        way = message.get("params", {}).get("arguments", {}).get("way", "")
        able = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        results: dict[str, Any] = {
            "initialize": {**able, "serverInfo": {"name": "moody", "version": "1"}},
            "tools/list": {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]},
        }
        done = results.get(message["method"], {"content": [{"type": "text", "text": way or "fine"}]})
        body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": done}).encode()
        if way == "reset":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif way == "short":
            self.end(200, body, len(body) + 9)
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif way == "long":
            self.end(200, b" " * (2 << 20))
        elif way == "zip":
            self.end(200, gzip.compress(b"[" * (64 << 20)), **{"Content-Encoding": "gzip"})
        elif way == "half":
            self.end(200, body[:-9])
        elif way == "error":
            told = {"jsonrpc": "2.0", "id": None, "error": {"code": -5, "message": "Not for you"}}
            self.end(500, json.dumps(told).encode())
        elif way.isdigit():
            self.end(int(way), b"<html>")
        else:
            self.end(200 if "id" in message else 202, body if "id" in message else b"")

    def end(self, status: int, body: bytes, length: int = -1, **more: str) -> None:
        self.send_response(status)
        kind = "text/html" if body == b"<html>" else "application/json"
        for name, value in {"Content-Type": kind, "Mcp-Session-Id": "s1", **more}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length if length >= 0 else len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.end(405, b"")

    do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        return


async def test_a_request_that_fails_ends_nothing_else(host: McpHost, tmp_path: Path) -> None:
    """P50: it fails at once, with its reason, and the next one works; a session that is over ends the server."""
    with serving(Moody) as port:
        made, why = await reached(host, tmp_path, url=f"http://127.0.0.1:{port}", max_message_bytes=1 << 20)
        assert why == ""
        for way, says in (
            ("reset", "can't be reached: Server disconnected without sending a response"),
            ("short", "can't be reached: peer closed connection without sending complete message body"),
            ("long", "sent a message over 1 MiB"),
            ("zip", "sent a compressed answer, which isn't taken"),
            ("half", "sent an answer that can't be read"),
            ("error", "answered with an error: Not for you"),
            ("503", "answered with HTTP status 503"),
            ("403", "answered with HTTP status 403: it needs other credentials (bearer_env, headers_from)"),
        ):
            step = await made.call("do", {"way": way}).step()
            assert isinstance(step, StepFailed) and step.error.startswith(says), (way, step)
            assert isinstance(await made.call("do", {}).step(), StepDone), way
        assert await made.call("do", {"way": "404"}).step() == StepFailed("ended its session")
        async with asyncio.timeout(LIMIT):
            assert await made.call("do", {"way": "wait"}).step() in (
                StepFailed("ended its session"),
                StepDone({"content": [{"type": "text", "text": "wait"}]}),
            )
            while made.alive:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await made.call("do", {}).step() == StepFailed("ended its session")
        await made.close()


async def test_notifications_of_a_stream_have_a_bound(host: McpHost, tmp_path: Path) -> None:
    """P51: over HTTP too; what is above it is counted in the log, and the result comes."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Flooding)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made = McpServer("floods", url=f"http://127.0.0.1:{server.server_port}", protocol="2025-11-25")
    log = tmp_path / "l.log"
    headers = {"Authorization": f"Bearer {CANARY}"}
    launch = Launch(made, "/", {}, headers, str(log), "file:///w", "1", (CANARY,))
    connection = Connection(launch, lambda _: None, lambda _: None)
    try:
        await connection.start(host)
        step = await connection.call("flood", {}).step()
        assert isinstance(step, StepDone) and "done" in str(step.result)
    finally:
        await connection.close()
        server.shutdown()
    assert CANARY not in log.read_text() and "Bearer " in log.read_text(), "P6: a server may say what it was sent"
    found = re.search(r"dropped ([\d,]+) notifications above 1,000 a second", log.read_text())
    assert found and 0 < int(found[1].replace(",", "")) <= 2000, log.read_text()[-300:]
