"""From `[store]` to an open journal on a server (store.md D1-D4)."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jp_tui.journal.port import Journal, JournalError
from jp_tui.settings import typed_settings as config
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.store_address import AddressError, StoreAddress, read_address

if TYPE_CHECKING:
    from jp_tui.journal.postgres.driver import StoreSettings

NO_DRIVER = 'The store needs `pip install "jp-tui[postgres]"`.'
"""Exact (D4)."""


def address(settings: Settings, environment: Mapping[str, str], url: str = "") -> StoreAddress:
    """Return the checked URL, by default that of the settings. Raises JournalError `unusable`."""
    values = config.store(settings)
    try:
        return read_address(url or values.url, values.tls, environment)
    except AddressError as problem:
        raise JournalError("unusable", str(problem)) from None


def store_settings(settings: Settings, environment: Mapping[str, str], url: str = "") -> StoreSettings:
    """Return the settings of the store that is named. Raises JournalError `unusable`, also without the driver."""
    found, values = address(settings, environment, url), config.store(settings)
    try:
        from jp_tui.journal.postgres.driver import StoreSettings
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("psycopg", "psycopg_binary") and "libpq" not in str(error):
            raise
        raise JournalError("unusable", NO_DRIVER) from None
    return StoreSettings(
        found,
        values.machine or socket.gethostname(),
        environment,
        float(values.lease_secs),
        float(values.poll_secs),
        float(values.connect_secs),
        config.serve(settings).may_act,
    )


def open_on_server(
    settings: Settings,
    environment: Mapping[str, str],
    url: str = "",
    *,
    waits: bool = False,
    offline: bool | None = None,
) -> Journal:
    """Open the journal on the server, by default that of the settings. `waits`: writes wait for a lost server for as
    long as it takes. `offline`, by default with `waits`: a server that doesn't answer is connected to once it does
    (D4). Raises JournalError."""
    wanted = store_settings(settings, environment, url)
    from jp_tui.journal.postgres.store import PATIENCE_SECONDS, open_store

    patience = None if waits else PATIENCE_SECONDS
    return open_store(wanted, patience=patience, offline=waits if offline is None else offline)
