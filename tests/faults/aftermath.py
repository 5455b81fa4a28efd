"""What must hold after an errand in which I/O failed: looked at from outside, when the disk is well again.

Each broken promise is one line of words. Whatever is missing is right only when the user was told something.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.rows import conversation_info
from jp_tui.journal.port import JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import open_journal
from jp_tui.view.export.document import writer
from tests.faults.errand import CONFIG, LAST, NEW, OLD
from tests.limits import LIMIT

EVENTS = 19
"""Facts of an errand in which nothing fails."""
SPARE = (".tmp", ".jp-tui-")


def broken(folder: Path, report: dict[str, Any], *, spares: bool = False) -> list[str]:
    """What was broken, in words; empty when all is as promised. `spares`: a spare file may have stayed."""
    found = [report["bug"].strip()] if report["bug"] else []
    if found and not report["facts"] and "report" in report["bug"]:
        return found
    stored, draft = _store(folder, report, found)
    found += _on_record(folder, report, stored)
    found += _files(folder, spares)
    missing = list(_missing(folder, report, stored, draft))
    if missing and not any(words.strip() for words in report["told"]):
        found.append(f"nobody was told that {', '.join(missing)}")
    return found


def _store(folder: Path, report: dict[str, Any], found: list[str]) -> tuple[dict[int, dict[str, Any]], str]:
    """What is stored and the draft; what is wrong with the database goes to `found`."""
    database = folder / "home" / "data" / "conversations.db"
    if not database.exists():
        return {}, ""
    try:
        journal = open_journal(database)
    except JournalError as problem:
        found.append(f"the database does not open again: {problem}")
        return {}, ""
    try:
        rows = journal.conversations()
        stored = {one.seq: json.loads(one.entry.payload) for row in rows for one in journal.read(row.id, 0, 1000)}
        shelves = [row.id for row in rows] + [f"new:{folder}/desk"]
        drafts = [journal.drafts(shelf).get("composer", "") for shelf in shelves]
        leaves = [json.loads(part.text) for row in rows for part in journal.partials(row.id) if part.kind == "leave"]
        stored[0] = {"leaves": leaves}
        journal.save_draft("new:after", "composer", "x").result(LIMIT)
    finally:
        journal.close()
    with sqlite3.connect(database) as raw:
        if (sound := raw.execute("PRAGMA integrity_check").fetchone()) != ("ok",):
            found.append(f"the database is damaged: {sound}")
    return stored, next((draft for draft in drafts if draft), "")


def _on_record(folder: Path, report: dict[str, Any], stored: dict[int, dict[str, Any]]) -> Iterator[str]:
    """Nothing shown that is not stored; nothing executed without its decision."""
    for seq, event in report["facts"]:
        if stored.get(seq) != event:
            yield f"event {seq} ({event['type']}) was shown and is not stored so"
    answers = {event["id"]: event.get("answer") for event in stored.values() if event.get("type") == "inquiry_response"}
    if (folder / "desk" / "notes.txt").read_text() != OLD and answers.get("demo_1.apply_changes.1") is not True:
        yield "notes.txt was changed without its approval on record"
    ran = folder / "desk" / "ran.log"
    if ran.exists():
        leave = [event.get("metadata", {}).get("permission") for event in stored.values()]
        if not any(leave) and not stored.get(0, {}).get("leaves"):
            yield "a program ran without the leave for it on record"
        if (said := ran.read_text()) not in ("ran\n", ""):  # nothing: the disk was too full for its own line
            yield f"the program ran {len(said.splitlines())} times"


def _files(folder: Path, spares: bool) -> Iterator[str]:
    """No file of the user is half written."""
    work, home = folder / "desk", folder / "home"
    if (said := (work / "notes.txt").read_text()) not in (OLD, NEW):
        yield f"notes.txt is half written: {said!r}"
    config = (home / "config" / "config.toml").read_text()
    try:
        settings = tomllib.loads(config)
    except tomllib.TOMLDecodeError as problem:
        yield f"the configuration is half written: {problem}"
    else:
        if CONFIG.splitlines()[0] not in config or settings["ui"]["sidebar"] not in ("hide", "show"):
            yield f"the configuration lost something: {config!r}"
    talk = work / "talk.md"
    if talk.exists() and talk.read_text() != _exported(folder):
        yield f"the export is half written: …{talk.read_text()[-60:]!r}"
    for crash in (home / "state").glob("crashes/*"):
        if "ValueError: made up" not in crash.read_text() and not (spares and not crash.stat().st_size):
            yield f"a crash report is half written: {crash.stat().st_size} bytes"
    for copy in (home / "state" / "undo" / "contents").glob("??/*"):
        whole = hashlib.sha256(copy.read_bytes()).hexdigest() == copy.name
        if not whole and not copy.name.startswith("."):
            yield "a copy of a changed file is half written"
    if not spares:
        yield from (
            f"{os.path.relpath(one, folder)} was left behind"
            for one in folder.rglob("*")
            if one.name.endswith(SPARE[0]) or one.name.startswith(SPARE[1])
        )


def _exported(folder: Path) -> str:
    """The export as it is made of what is stored."""
    database = folder / "home" / "data" / "conversations.db"
    if not database.exists():
        return ""
    reader = open_reader(database)
    try:
        (row,) = reader.conversations()
        made = writer("md")
        events = tuple(stored_event(one) for one in reader.read(row.id, 0, 1000))
        return made.begin(conversation_info(row)) + made.add(events) + made.end()
    finally:
        reader.close()


def _missing(folder: Path, report: dict[str, Any], stored: dict[int, dict[str, Any]], draft: str) -> Iterator[str]:
    """What an errand without a fault leaves behind and this one did not."""
    work = folder / "desk"
    done = " ".join(report["done"])
    if len(stored) - (0 in stored) != EVENTS:
        yield f"only {len(stored) - (0 in stored)} of {EVENTS} events are stored"
    if (work / "notes.txt").read_text() != NEW:
        yield "notes.txt was not changed"
    if not (work / "ran.log").exists():
        yield "the program did not run"
    if not (work / "talk.md").exists():
        yield "there is no export"
    if draft != LAST:
        yield f"the draft is not kept ({draft!r})"
    settings = (folder / "home" / "config" / "config.toml").read_text()
    if 'sidebar = "show"' not in settings or "jp-day" not in settings:
        yield "a setting was not written"
    if "stopped" not in done or not list((folder / "home" / "state").glob("crashes/*")):
        yield "there is no crash report"
