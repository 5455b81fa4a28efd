"""The schema of a store: made, raised, checked, and who may use it (store.md D5-D7). Only `migrate` writes schema."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import psycopg
from psycopg import errors, sql

from jp_tui.journal.port import JournalError, RoleKind
from jp_tui.journal.postgres.driver import Connection, failure, is_transient
from jp_tui.journal.postgres.row_security import PATH
from jp_tui.journal.postgres.schema import GRANTS, OLDEST_CLIENT, STEPS, VERSION
from jp_tui.settings.store_address import StoreAddress

_ONCE = 0x6A70_7476
"""Key of the lock under which the schema is changed, within one transaction."""
_TABLES = (
    "SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'jp_tui'"
)
_TRIES = 5
_ME = "CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END"
"""The acting role, also in a database without the function `me`."""
AUDITS = (
    "{where} knows the role {role} as auditor: it reads the views jp_tui.audit_inquiries and jp_tui.audit_people, with"
    " psql or any other client."
)


@dataclass(frozen=True, slots=True)
class SchemaState:
    """A store's schema: `version` 0 for an empty database, None for a schema `jp_tui` that isn't jp-tui's; `kind` of
    the connected role (`owner`, `person`, `worker`, `auditor`, `none`)."""

    version: int | None
    oldest_client: int
    role: str
    kind: RoleKind


@dataclass(frozen=True, slots=True)
class StoreReport:
    """Result of `store check` (D5)."""

    server: str
    state: SchemaState
    listen: bool
    latency_ms: float
    conversations: int | None
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def _one(db: Connection, statement: str, values: Sequence[object] = ()) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = db.execute(statement, values or None).fetchone()
    assert found is not None
    return found


def state(db: Connection, address: StoreAddress) -> SchemaState:
    """Return the schema's state. Raises JournalError."""
    try:
        role, exists, version, roles = _one(
            db,
            f"SELECT {_ME}, to_regnamespace('jp_tui') IS NOT NULL,"
            " CASE WHEN to_regnamespace('jp_tui') IS NULL THEN false"
            "   ELSE EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('jp_tui')::oid"
            "     AND relname = 'schema_version') END,"
            " CASE WHEN to_regnamespace('jp_tui') IS NULL THEN false"
            "   ELSE has_schema_privilege(to_regnamespace('jp_tui')::oid, 'USAGE') END",
        )
        if not exists:
            return SchemaState(0, 0, role, "none")
        if not version:
            return SchemaState(0 if not _one(db, _TABLES)[0] else None, 0, role, "none")
        if not roles:
            return SchemaState(VERSION, 0, role, "none")
        try:
            number, oldest = _one(db, "SELECT version, oldest_client FROM jp_tui.schema_version")
        except errors.InsufficientPrivilege:
            return SchemaState(VERSION, 0, role, "none")
        except (errors.UndefinedColumn, AssertionError):
            return SchemaState(None, 0, role, "none")
        if number < 2:
            row = db.execute("SELECT kind FROM jp_tui.roles WHERE role = %s", (role,)).fetchone()
        else:
            row = _one(db, "SELECT jp_tui.my_kind()")
        kind: RoleKind = row[0] if row is not None and row[0] in get_args(RoleKind) else "none"
        return SchemaState(number, oldest, role, kind)
    except psycopg.Error as error:
        raise failure(error, db, address) from error


def refusal(found: SchemaState, address: StoreAddress) -> JournalError | None:
    """Return why this client doesn't use a store in this state, None if it does."""
    where = f"The store at {address.where}"
    if found.version is None:
        return JournalError("foreign", f"{where} has a schema jp_tui that another program made. Nothing was changed.")
    if found.version == 0:
        return JournalError("unusable", f"{where} is empty. Its owner runs `jp-tui store migrate` first.")
    if found.version > VERSION and found.oldest_client > VERSION:
        words = f"{where} has schema {found.version}, and this jp-tui knows {VERSION}. Use a newer jp-tui."
        return JournalError("newer", words)
    if found.kind == "none":
        words = (
            f"{where} doesn't know the role {found.role}. Its owner runs `jp-tui store grant {found.role} --as person`."
        )
        return JournalError("unusable", words)
    if found.version < VERSION:
        words = f"{where} has schema {found.version}, and this jp-tui needs {VERSION}."
        return JournalError("unusable", f"{words} Its owner runs `jp-tui store migrate`.")
    if found.kind == "auditor":
        return JournalError("unusable", AUDITS.format(where=where, role=found.role))
    return None


def require(db: Connection, address: StoreAddress) -> SchemaState:
    """Return the state of a store that can be used. Raises JournalError."""
    found = state(db, address)
    if (problem := refusal(found, address)) is not None:
        raise problem
    return found


def migrate(db: Connection, address: StoreAddress, *, dry_run: bool = False) -> tuple[int, int]:
    """Make or raise the schema, whole or not at all; return the version before and after. Raises JournalError."""
    for attempt in range(_TRIES):
        try:
            with db.transaction(force_rollback=dry_run):
                _one(db, "SELECT pg_advisory_xact_lock(%s)", (_ONCE,))
                return _migrate(db, address)
        except psycopg.Error as error:
            if not is_transient(error) or attempt == _TRIES - 1:
                raise failure(error, db, address) from error
            time.sleep(0.05)
    raise AssertionError


def _migrate(db: Connection, address: StoreAddress) -> tuple[int, int]:
    found = state(db, address)
    if found.version is None or found.version > VERSION:
        raise refusal(found, address) or JournalError("newer", f"The store at {address.where} is newer.")
    if found.version and found.kind != "owner":
        words = f"Only an owner of the store at {address.where} migrates it; {found.role} is {found.kind}."
        raise JournalError("unusable", words)
    encoding = _one(db, "SELECT getdatabaseencoding()")[0]
    if encoding != "UTF8":
        words = f"The database of {address.where} has the encoding {encoding}; the store needs UTF8."
        raise JournalError("foreign", words)
    before = found.version
    if before == 0:
        db.execute("CREATE SCHEMA IF NOT EXISTS jp_tui")
    known: list[tuple[Any, ...]] = []
    if before:  # under the path of the store's own functions: policies hide rows from the tables' owner, too
        db.execute(f"SET LOCAL search_path = {PATH}")
        known = db.execute(
            "SELECT role, kind FROM jp_tui.roles WHERE kind <> 'owner' AND role IN (SELECT rolname FROM pg_roles)"
        ).fetchall()
    for number, step in enumerate(STEPS[before:], before):
        for statement in step:
            db.execute(statement)
        if number == 0:
            db.execute(f"INSERT INTO jp_tui.roles (role, kind) VALUES ({_ME}, 'owner')")
    if before == 0:
        db.execute("INSERT INTO jp_tui.schema_version VALUES (%s, %s)", (VERSION, OLDEST_CLIENT))
    elif before < VERSION:
        db.execute("UPDATE jp_tui.schema_version SET version = %s, oldest_client = %s", (VERSION, OLDEST_CLIENT))
        for role, kind in known:
            _set_rights(db, role, kind)
    return before, VERSION


def grant(db: Connection, address: StoreAddress, role: str, kind: str) -> None:
    """Let a database role use the store. Raises JournalError `unknown` for one that doesn't exist."""
    _change_role(db, address, role, kind)


def revoke(db: Connection, address: StoreAddress, role: str, to: str = "") -> int:
    """Let a database role use the store no longer; its conversations become those of `to`, if that is named. Return
    their number. Raises JournalError."""
    try:
        with db.transaction():
            _change_role(db, address, role, None)
            return int(_one(db, "SELECT jp_tui.give_conversations(%s, %s)", (role, to))[0]) if to else 0
    except psycopg.Error as error:
        raise failure(error, db, address) from error


def _change_role(db: Connection, address: StoreAddress, role: str, kind: str | None) -> None:
    me = require(db, address)
    if me.kind != "owner":
        raise JournalError("unusable", f"Only an owner of the store grants and revokes; {me.role} is {me.kind}.")
    if role == me.role:
        raise JournalError("unusable", f"{role} is the owner of the store; that can't be changed here.")
    try:
        with db.transaction():
            if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
                shown = sql.Identifier(role).as_string(db)
                words = f"There is no role {role} on the server. Its administrator makes it: CREATE ROLE {shown} LOGIN;"
                raise JournalError("unknown", words)
            _set_rights(db, role, kind or "none")
            db.execute("SELECT jp_tui.set_role(%s, %s)", (role, kind or "none"))
    except psycopg.Error as error:
        raise failure(error, db, address) from error


def _set_rights(db: Connection, role: str, kind: str) -> None:
    """Give a role the rights of its kind, and no others."""
    for statement in (
        "ALTER DEFAULT PRIVILEGES IN SCHEMA jp_tui REVOKE ALL ON TABLES FROM {role}",
        "REVOKE ALL ON ALL TABLES IN SCHEMA jp_tui FROM {role}",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA jp_tui FROM {role}",
        "REVOKE ALL ON SCHEMA jp_tui FROM {role}",
        *GRANTS.get(kind, ()),
    ):
        db.execute(sql.SQL(statement).format(role=sql.Identifier(role)))


def check(db: Connection, address: StoreAddress, listen: bool) -> StoreReport:
    """Look at the server and the schema (D5). Raises JournalError."""
    try:
        began = time.monotonic()
        version, fsync, sync = _one(
            db,
            "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')",
        )
        latency = (time.monotonic() - began) * 1000
        unbound = _one(db, f"SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = {_ME}")[0]
        found = state(db, address)
        problem = None if found.kind == "auditor" else refusal(found, address)
        count = None
        if problem is None and found.kind != "auditor":
            count = int(_one(db, "SELECT count(*) FROM jp_tui.conversations WHERE hidden = ''")[0])
    except psycopg.Error as error:
        raise failure(error, db, address) from error
    warnings = []
    if unbound:
        warnings.append(f"Row security doesn't bind the role {found.role} (superuser or BYPASSRLS).")
    if not address.verified:
        warnings.append(f"TLS isn't verified (sslmode={address.sslmode}).")
    if fsync == "off":
        warnings.append("The server's fsync is off: a power failure can lose what was recorded.")
    if sync == "off":
        warnings.append("The server's synchronous_commit is off: a power failure can lose the last answers.")
    return StoreReport(
        version.split()[0], found, listen, round(latency, 1), count,
        [str(problem)] if problem is not None else [], warnings,
    )  # fmt: skip
