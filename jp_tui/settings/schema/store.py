"""Keys of `store`: where conversations are kept, if not in a file on this machine (store.md D1), and of `serve`, for
workers (D20). No folder's file sets them, trusted or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jp_tui.settings.schema import checks
from jp_tui.settings.schema.nodes import Group, Leaf


def _from_folder(_: Any) -> bool:
    return True


def _same(old: Any, new: Any) -> bool:
    """No other place, name or time is less strict."""
    return False


def _url(value: Any) -> str:
    from jp_tui.settings.store_address import HAS_PASSWORD, holds_password

    found = str(checks.text(value))
    if holds_password(found):
        raise checks.BadValue(HAS_PASSWORD)
    return found


STORE = Group(
    {
        "url": Leaf(
            _url,
            never=_from_folder,
            acts=True,
            loosens=_same,
            help="postgresql://… to share one store; empty: a file here",
        ),
        "tls": Leaf(
            checks.choice("verify", "require", "off"),
            never=_from_folder,
            acts=True,
            loosens=lambda old, new: new != "verify",
            help="TLS to another machine",
        ),
        "machine": Leaf(
            checks.text, never=_from_folder, loosens=_same, help="the name of this machine for others; empty: host name"
        ),
        "lease_secs": Leaf(
            checks.integer(2, 600),
            never=_from_folder,
            loosens=_same,
            help="seconds until what a lost client held is free",
        ),
        "poll_secs": Leaf(
            checks.number(0.2, 60), never=_from_folder, loosens=_same, help="seconds between two looks for news"
        ),
        "connect_secs": Leaf(
            checks.integer(1, 300), never=_from_folder, loosens=_same, help="seconds to wait for each host"
        ),
    }
)

SERVE = Group(
    {
        "any_machine": Leaf(
            checks.boolean,
            never=_from_folder,
            acts=True,
            loosens=_same,
            help="also resume turns of other machines, in the same path",
        ),
        "may_act": Leaf(
            checks.boolean,
            never=_from_folder,
            acts=True,
            loosens=_same,
            help="let workers of a shared store carry on your conversations",
        ),
        "parallel": Leaf(checks.integer(1, 64), never=_from_folder, loosens=_same, help="turns that run at once"),
        "drain_secs": Leaf(
            checks.integer(0, 3600), never=_from_folder, loosens=_same, help="seconds for running turns at the end"
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Serve:
    """Values of `[serve]`."""

    any_machine: bool
    may_act: bool
    parallel: int
    drain_secs: int


@dataclass(frozen=True, slots=True)
class Store:
    """Values of `[store]`."""

    url: str
    tls: Literal["verify", "require", "off"]
    machine: str
    lease_secs: int
    poll_secs: float
    connect_secs: int
