"""The places of keys: every class with bindings, with a title for the keys page, and which of them work together.

Screens are found, not listed, so that a new one is on the page automatically. The functions import every sheet and
screen: only the keys page and a `keys.toml` need that.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

from textual.dom import DOMNode
from textual.screen import ModalScreen

from jp_tui.ui.keys.user_keys import KeyScope, KeyTable
from jp_tui.ui.sheets.messages import NEW_LINE

Titled = tuple[str, type[object]]
_SIDES = frozenset({"KeyList", "TooSmall", "Leaving", "Palette"})
"""Screens that show their few keys themselves."""
TASKS = ("Reading", "Writing", "Deciding", "Conversations", "Looking elsewhere")
"""Tasks of the keys, in the order of the keys page."""
_TASK_OF_PLACE = {
    "Transcript": "Reading", "Composer": "Writing", "FirstScreen": "Conversations", "InterruptMenu": "Conversations",
    "SheetDock": "Deciding", "Library": "Conversations",
}  # fmt: skip
"""By class; an answer in a question is for deciding, a page for looking elsewhere."""
_TASK_OF_KEY = {
    "Reading": ("workspace.up", "workspace.down", "workspace.end", "workspace.focus", "workspace.back"),
    "Writing": ("workspace.home",),
    "Deciding": ("workspace.fold", "workspace.next", "app.take_over"),
    "Conversations": (
        "workspace.interrupt", "workspace.menu", "workspace.break", "app.suspend", "app.leave",
    ),
}  # fmt: skip
"""Keys that work in all of the workspace, by their ids; the others open another page."""
_FIRST = ("Listing", "Inbox", "LedgerPage", "Reviewers")


def titled(app: type[object]) -> tuple[Titled, ...]:
    """Return every class that declares keys and its title, the workspace first. Equal titles share a section; keys that
    work in all of the workspace have none."""
    from jp_tui.ui.composer.composer import Composer
    from jp_tui.ui.screens.workspace import WorkspaceScreen
    from jp_tui.ui.sheets.dock.dock import SheetDock
    from jp_tui.ui.transcript.first_screen import FirstScreen
    from jp_tui.ui.transcript.interrupt_menu import InterruptMenu
    from jp_tui.ui.transcript.transcript import Transcript

    return (
        ("", app),
        ("", WorkspaceScreen),
        ("In the composer", Composer),
        ("In the conversation", Transcript),
        ("On the first screen", FirstScreen),
        ("In the interrupt menu", InterruptMenu),
        ("When questions are waiting", SheetDock),
        *sheets(),
        *screens(),
    )


def task(kind: type[object], id: str) -> str:
    """Return the task of a class's key, one of TASKS."""
    from jp_tui.ui.sheets.area import AnswerArea
    from jp_tui.ui.sheets.sheet import Sheet

    if found := _TASK_OF_PLACE.get(kind.__name__):
        return found
    if issubclass(kind, (AnswerArea, Sheet)):
        return "Deciding"
    return next((name for name, ids in _TASK_OF_KEY.items() if id in ids), TASKS[-1])


def sheets() -> tuple[Titled, ...]:
    """Return the sheet and every kind of answer in it. A text uses the composer's keys."""
    from jp_tui.ui.sheets.areas.boolean import BooleanArea
    from jp_tui.ui.sheets.areas.delivery import DeliveryArea
    from jp_tui.ui.sheets.areas.form_summary import FormSummaryArea
    from jp_tui.ui.sheets.areas.hunks import HunkArea
    from jp_tui.ui.sheets.areas.multi_select import MultiSelectArea
    from jp_tui.ui.sheets.areas.permission import PermissionArea
    from jp_tui.ui.sheets.areas.select import SelectArea
    from jp_tui.ui.sheets.areas.text import FreeTextArea
    from jp_tui.ui.sheets.registry import AREAS
    from jp_tui.ui.sheets.schema.area import SchemaArea
    from jp_tui.ui.sheets.sheet import Sheet

    listed: tuple[Titled, ...] = (
        ("In a question", Sheet),
        ("In a yes-or-no question", BooleanArea),
        ("In a change with hunks", HunkArea),
        ("When a tool asks to run", PermissionArea),
        ("When delivering a result", DeliveryArea),
        ("In a choice", SelectArea),
        ("In a multiple choice", MultiSelectArea),
        ("In a text question", FreeTextArea),
        ("In a form question", SchemaArea),
        ("In a form review", FormSummaryArea),
    )
    known = {kind for _, kind in listed}
    more = {name: area for name, area in AREAS.items() if area not in known and vars(area).get("BINDINGS")}
    return (*listed, *((f"In a question for a {name}", area) for name, area in more.items()))


def screens() -> tuple[Titled, ...]:
    """Return every page and list over the workspace that declares keys."""
    import jp_tui.ui.screens as room

    found: dict[type[DOMNode], str] = {}
    for module in pkgutil.iter_modules(room.__path__):
        here = import_module(f"{room.__name__}.{module.name}")
        for kind in vars(here).values():
            ours = isinstance(kind, type) and kind.__module__ == here.__name__ and issubclass(kind, ModalScreen)
            if ours and kind.__name__ not in _SIDES and "BINDINGS" in vars(kind):
                found[kind] = _title(kind)
    order = sorted(found, key=lambda one: (_FIRST.index(one.__name__) if one.__name__ in _FIRST else 99, found[one]))
    return tuple((found[kind], kind) for kind in order)


def _title(kind: type[DOMNode]) -> str:
    """Return a title such as `In “Settings”`. A class can set its own in `keys_title`."""
    if own := getattr(kind, "keys_title", ""):
        return str(own)
    fixed = {
        "Listing": "In a list", "Inbox": "In the inbox", "LedgerPage": "In the list of permissions",
        "Reviewers": "In the reviewer results", "ThemePicker": "Selecting a theme", "Agents": "Selecting a sub-agent",
        "Choosing": "Selecting a value", "Searching": "In a list with a search",
    }  # fmt: skip
    if kind.__name__ in fixed:
        return fixed[kind.__name__]
    said = str(getattr(kind, "title_words", "")) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
    return f"In “{said}”" if said[:1].isupper() else f"In the {said}"


def table(app: type[object]) -> KeyTable:
    """Return all keys and which of them work together, to check the user's own keys."""
    return KeyTable.of(_scopes(app))


def _scopes(app: type[object]) -> Iterator[KeyScope]:
    from jp_tui.ui.composer.composer import Composer
    from jp_tui.ui.screens.workspace import WorkspaceScreen
    from jp_tui.ui.sheets.dock.dock import SheetDock
    from jp_tui.ui.sheets.field import Field
    from jp_tui.ui.transcript.first_screen import FirstScreen
    from jp_tui.ui.transcript.interrupt_menu import InterruptMenu
    from jp_tui.ui.transcript.transcript import Transcript

    yield KeyScope("in the composer", (Composer, WorkspaceScreen, app), writes=True)
    yield KeyScope("in the conversation", (Transcript, WorkspaceScreen, app))
    yield KeyScope("on the first screen", (FirstScreen, WorkspaceScreen, app))
    taken = dict.fromkeys(("enter", "ctrl+s"), "sends the answer") | dict.fromkeys(NEW_LINE, "starts a new line")
    taken |= {"escape": "leaves the text", "ctrl+g": "opens the editor", "tab": "continues", "shift+tab": "goes back"}
    yield KeyScope("in a text field of a question", (Field,), writes=True, taken=taken)
    yield KeyScope("in a question", (SheetDock, *(kind for _, kind in sheets())))
    yield KeyScope("in the interrupt menu", (InterruptMenu, WorkspaceScreen, app))
    for title, kind in screens():
        yield KeyScope(title[:1].lower() + title[1:], (kind,))
