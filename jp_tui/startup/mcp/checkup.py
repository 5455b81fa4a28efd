"""Checks of `doctor` about MCP servers (mcp.md P14): the extra, variables that aren't set, the last contact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jp_tui.mcp.host import NO_EXTRA, installed
from jp_tui.mcp.store import waiting
from jp_tui.settings.errors import SettingsError, printable
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.mcp.known import KnownServer, known_servers
from jp_tui.startup.parts import RunLocation
from jp_tui.system.checkup import CheckupFinding


def mcp_findings(settings: Settings, place: RunLocation, environment: Mapping[str, str]) -> Iterator[CheckupFinding]:
    """Yield a finding for each server; none without a server. Starts nothing."""
    try:
        known = known_servers(settings, place)
    except SettingsError:
        return  # reported by the checks of settings
    if any(one.server.enabled and one.server.trusted for one in known) and not installed():
        yield CheckupFinding("mcp", "bad", "no MCP server can start", NO_EXTRA)
    for one in known:
        yield _finding(one, environment)


def _finding(one: KnownServer, environment: Mapping[str, str]) -> CheckupFinding:
    server, contact = one.server, one.contact
    name = f"mcp {server.name}"
    if not server.trusted:
        return CheckupFinding(name, "ok", "not started: its file isn't trusted")
    if not server.enabled:
        return CheckupFinding(name, "ok", f"off (enabled = false in {printable(server.origin)})")
    named = {*server.env_from.values(), *server.headers_from.values(), server.bearer_env}
    named = {*named, server.oauth.client_secret_env if server.oauth is not None else ""} - {""}
    if missing := sorted(variable for variable in named if not environment.get(variable)):
        variables = " and ".join(f"${variable}" for variable in missing)
        return CheckupFinding(name, "bad", f"{variables} isn't set", f"Set it, or change {printable(server.origin)}.")
    if contact.state == "failed":
        again = f"jp-tui mcp test {server.name} tries it again."
        logs_in = f"jp-tui mcp login {server.name} logs in."
        wants = contact.error.endswith(f"jp-tui mcp login {server.name}")
        return CheckupFinding(name, "bad", printable(contact.error), logs_in if wants else again)
    if contact.state == "never":
        return CheckupFinding(name, "ok", "not reached yet")
    if wait := waiting(one.offered):
        detail = f"{len(one.offered)} tools, {len(wait)} new or changed"
        return CheckupFinding(name, "warn", detail, f"jp-tui mcp accept {server.name} shows and accepts them.")
    return CheckupFinding(name, "ok", f"{len(one.offered)} tools, protocol {printable(contact.protocol)}")
