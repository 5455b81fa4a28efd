"""`jp-tui store check | migrate | grant | revoke` (store.md D5-D7)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from jp_tui.journal.port import JournalError
from jp_tui.settings import typed_settings as config
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.parts import RunLocation

if TYPE_CHECKING:
    from jp_tui.headless.output import TextOutput
    from jp_tui.journal.postgres.driver import Connection, StoreSettings

FAILED = 1
LISTEN_SECONDS = 1.0
"""Time for a notification of another connection to arrive (D11)."""
KINDS = ("person", "worker", "auditor")


def store_command(arguments: CommandLine, settings: Settings, place: RunLocation, to: TextOutput) -> int:
    """Run the command; return the exit status. Raises UsageError, JournalError, OutputEnded."""
    if arguments.command == "store copy":
        from jp_tui.startup.store.copying import store_copy

        return store_copy(arguments, settings, place, to)
    url = config.store(settings).url
    if arguments.command == "store check":
        report = _check_server(settings) if url else _check_file(place)
        return _print_report(report, to)
    if arguments.command == "store grant" and arguments.kind_of_role not in KINDS:
        raise UsageError("store grant needs --as person, --as worker or --as auditor")
    if not url:
        raise UsageError("no store is named; set store.url, JP_TUI_STORE, or put --store URL before the command")
    return _change(arguments, settings, to)


def _check_file(place: RunLocation) -> dict[str, Any]:
    from jp_tui.journal.checkup import SQLITE, find_problem

    began = time.monotonic()
    problem = find_problem(place.paths.database)
    count = None
    if not problem:
        from jp_tui.journal.reader import open_reader

        try:
            reader = open_reader(place.paths.database)
        except JournalError as error:
            if error.kind != "missing":
                problem = str(error)
        else:
            count = len(reader.conversations(limit=1_000_000, shown="all"))
            reader.close()
    return {
        "engine": "sqlite",
        "server": SQLITE,
        "url": f"sqlite:{place.paths.database}",
        "tls": "none",
        "role": "",
        "kind": "owner",
        "schema": None,
        "needs": None,
        "listen": False,
        "latency_ms": round((time.monotonic() - began) * 1000, 1),
        "conversations": count or 0,
        "problems": [problem] if problem else [],
        "warnings": [],
        "ok": not problem,
    }


def _check_server(settings: Settings) -> dict[str, Any]:
    from jp_tui.startup.store.opening import store_settings

    wanted = store_settings(settings, os.environ)
    import psycopg

    from jp_tui.journal.postgres.driver import connect, failure
    from jp_tui.journal.postgres.migrate import check
    from jp_tui.journal.postgres.schema import VERSION

    db = connect(wanted)
    try:
        found = check(db, wanted.address, _listens(db, wanted))
    except psycopg.Error as error:
        raise failure(error, db, wanted.address) from error
    finally:
        db.close()
    return {
        "engine": "postgresql",
        "server": found.server,
        "url": wanted.address.url,
        "tls": wanted.address.sslmode,
        "role": found.state.role,
        "kind": found.state.kind,
        "schema": found.state.version,
        "needs": VERSION,
        "listen": found.listen,
        "latency_ms": found.latency_ms,
        "conversations": found.conversations,
        "problems": found.problems,
        "warnings": found.warnings,
        "ok": not found.problems,
    }


def store_findings(settings: Settings) -> Iterator[tuple[Literal["ok", "warn", "bad"], str, str]]:
    """Yield what `doctor` says of the store: how it is, the words, and what to do."""
    try:
        report = _check_server(settings)
    except JournalError as problem:
        yield "bad", str(problem), "Run `jp-tui store check`."
        return
    if report["ok"]:
        told = "" if report["listen"] else ", by polling"
        words = f"{report['url']}: PostgreSQL {report['server']}, answers in {report['latency_ms']} ms{told}"
        yield "ok", words, ""
    for words in report["problems"]:
        yield "bad", words, "Run `jp-tui store check`."
    for words in report["warnings"]:
        yield "warn", words, ""


def _listens(db: Connection, wanted: StoreSettings) -> bool:
    """True if a notification of another connection arrives on this one while it is idle: behind a pooler that gives
    each transaction another connection it doesn't."""
    import psycopg

    from jp_tui.journal.postgres.driver import connect, failure

    db.execute("LISTEN jp_tui_check")
    other = connect(wanted)
    try:
        other.execute("SELECT pg_notify('jp_tui_check', %s)", (word := f"{os.getpid()}-{time.monotonic_ns()}",))
    except psycopg.Error as error:
        raise failure(error, other, wanted.address) from error
    finally:
        other.close()
    found = any(told.payload == word for told in db.notifies(timeout=LISTEN_SECONDS, stop_after=1))
    db.execute("UNLISTEN jp_tui_check")
    return found


def _print_report(report: dict[str, Any], to: TextOutput) -> int:
    if to.as_json:
        to.line(report)
        return 0 if report["ok"] else FAILED
    schema = "" if report["schema"] is None else f", schema {report['schema']} (this jp-tui needs {report['needs']})"
    to.print(f"{report['engine']} {report['server']}{schema}")
    to.print(f"  {report['url']}")
    if report["engine"] == "postgresql":
        told = "arrive" if report["listen"] else "don't arrive: polling"
        to.print(f"  role {report['role']} ({report['kind']}), sslmode {report['tls']}, notifications {told}")
    if report["conversations"] is not None:
        to.print(f"  {report['conversations']} conversations, answers in {report['latency_ms']} ms")
    for words in report["problems"]:
        to.print(f"problem: {words}")
    for words in report["warnings"]:
        to.print(f"warning: {words}")
    if report["ok"]:
        to.print("No problems.")
    return 0 if report["ok"] else FAILED


def _change(arguments: CommandLine, settings: Settings, to: TextOutput) -> int:
    from jp_tui.startup.store.opening import store_settings

    wanted = store_settings(settings, os.environ)
    from jp_tui.journal.postgres import migrate
    from jp_tui.journal.postgres.driver import connect

    db = connect(wanted)
    try:
        if arguments.command == "store migrate":
            before, after = migrate.migrate(db, wanted.address, dry_run=arguments.dry_run)
            to.print(_migrated(before, after, dry=arguments.dry_run))
        elif arguments.command == "store grant":
            migrate.grant(db, wanted.address, arguments.role or "", arguments.kind_of_role or "")
            to.print(f"{arguments.role} is {arguments.kind_of_role} now.")
        else:
            given = migrate.revoke(db, wanted.address, arguments.role or "", arguments.to or "")
            to.print(f"{arguments.role} can't use the store any more.")
            if arguments.to:
                to.print(f"Conversations that are {arguments.to}'s now: {given}")
    except JournalError as problem:
        if problem.kind not in ("unknown", "refused"):
            raise
        to.tell(f"jp-tui: {problem}")
        return FAILED
    finally:
        db.close()
    return 0


def _migrated(before: int, after: int, *, dry: bool) -> str:
    if before == after:
        return f"The schema has version {after} already."
    if dry:
        return f"The schema would be brought from version {before} to {after}. Nothing was changed."
    return f"The schema has version {after} now. It had {before}." if before else f"The schema {after} was made."
