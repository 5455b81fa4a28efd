"""Connections of psycopg, and its errors as the journal's.

Works behind a pooler that gives each transaction another connection: nothing is prepared by name, no session state is
set, no session lock is taken (store.md D11). PostgreSQL has no NUL in texts, so one is escaped on its way.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg
from psycopg import errors
from psycopg.types.string import StrDumper, TextLoader

from jp_tui.conversation.neutral import first_line
from jp_tui.journal.port import JournalError, Trouble
from jp_tui.journal.postgres.row_security import REFUSED
from jp_tui.settings.store_address import StoreAddress, root_certificates

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"
OLDEST_SERVER = 140000
STALLED_SECONDS = 20
"""Time after which a connection on which nothing is acknowledged counts as lost."""
_SAID = 300
_ESCAPE, _NUL = "\x01", "\0"
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # it warns of a rollback that a lost server made itself


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Settings of the store (`[store]`); times in seconds."""

    address: StoreAddress
    machine: str
    environment: Mapping[str, str]
    lease_secs: float = 30.0
    poll_secs: float = 2.0
    connect_secs: float = 5.0
    may_act: bool = False
    """True if workers of the store may carry on conversations of this user (D18)."""


class _Escaped(StrDumper):
    def dump(self, obj: str) -> Any:
        if _NUL in obj or _ESCAPE in obj:
            obj = obj.replace(_ESCAPE, "\x01\x03").replace(_NUL, "\x01\x02")
        return super().dump(obj)


class _Unescaped(TextLoader):
    def load(self, data: Any) -> Any:
        found = super().load(data)
        if isinstance(found, str) and _ESCAPE in found:
            found = found.replace("\x01\x02", _NUL).replace("\x01\x03", _ESCAPE)
        return found


def connect(settings: StoreSettings) -> Connection:
    """Connect. Raises JournalError `offline`, `foreign` for a server that is too old, and `unusable`."""
    address = settings.address
    more: dict[str, Any] = {"sslmode": address.sslmode}
    if address.sslmode == "verify-full" and (roots := root_certificates(address.url, settings.environment)):
        more["sslrootcert"] = roots
    try:
        found = psycopg.connect(
            address.url,
            autocommit=True,
            prepare_threshold=None,
            application_name="jp-tui",
            client_encoding="UTF8",
            connect_timeout=max(1, round(settings.connect_secs)),
            tcp_user_timeout=STALLED_SECONDS * 1000,
            keepalives_idle=STALLED_SECONDS // 2,
            **more,
        )
    except (psycopg.Error, UnicodeError) as error:
        raise unanswered(address, error) from None
    if found.info.server_version < OLDEST_SERVER:
        version = found.info.server_version // 10000
        found.close()
        raise JournalError("foreign", f"The store at {address.where} is PostgreSQL {version}; 14 or newer is needed.")
    found.adapters.register_dumper(str, _Escaped)
    found.adapters.register_loader("text", _Unescaped)
    made: Connection = found
    return made


def unanswered(address: StoreAddress, error: BaseException) -> JournalError:
    """Return the error of a server that can't be reached (D4)."""
    said = re.sub(r'(connection failed: )?connection to server [^"]*"[^"]*"[^"]*? failed: ', "", words(error))
    return JournalError("offline", f"The store at {address.where} does not answer: {said}")


def words(error: BaseException) -> str:
    """Return the server's message in one line; it repeats what it read."""
    said = first_line(" ".join(str(error).split()))
    return said[:_SAID] or type(error).__name__


def is_lost(error: BaseException, connection: Connection) -> bool:
    """True if the connection can't be used any more: cut, or ended by the server."""
    return isinstance(error, psycopg.Error) and (
        connection.closed or isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow)
    )


def failure(error: BaseException, connection: Connection, address: StoreAddress) -> JournalError:
    """Convert the error of a statement: a server that went away doesn't answer (D4), others have words (D24)."""
    return unanswered(address, error) if is_lost(error, connection) else trouble(error, address)


def is_transient(error: BaseException) -> bool:
    """True for a deadlock or a serialisation failure: the same is tried again (D24)."""
    return isinstance(error, errors.DeadlockDetected | errors.SerializationFailure)


def trouble(error: BaseException, address: StoreAddress) -> JournalError:
    """Convert a driver's error to the journal's; the message has the server's words (D24)."""
    said = words(error)
    kind: Trouble = "io"
    if isinstance(error, psycopg.Error) and error.sqlstate == REFUSED:
        return JournalError("refused", first_line(error.diag.message_primary or said))
    match error:
        case errors.DiskFull() | errors.OutOfMemory():
            kind = "full"
        case errors.ReadOnlySqlTransaction():
            kind = "readonly"
        case errors.InsufficientPrivilege():
            primary = error.diag.message_primary if isinstance(error, psycopg.Error) else ""
            kind, said = "unusable", f"this role may not do that, or not any more ({first_line(primary or said)})"
        case (
            errors.UndefinedTable() | errors.InvalidSchemaName() | errors.UndefinedFunction() | errors.UndefinedColumn()
        ):
            kind = "unusable"
        case errors.QueryCanceled() | errors.LockNotAvailable() | errors.DeadlockDetected():
            kind = "busy"
        case psycopg.DataError() | psycopg.IntegrityError() | psycopg.ProgrammingError():
            kind = "invalid"
        case UnicodeEncodeError() | OverflowError():
            kind = "invalid"
        case _:
            pass
    return JournalError(kind, f"The store at {address.where}: {said}")
