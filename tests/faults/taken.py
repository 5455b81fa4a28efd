"""`python -m tests.faults --only taken`: a database that is cut, damaged, tampered with, or taken away while it is open
(Z23, Z24, Z25).

At rest through the commands of jp-tui: every event that lies on no page that was touched is shown, what is derived is
as it was, and the damaged file is kept. While it is open through a conversation in lines (`taken_live.py`).
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.faults.log_damage import GOOD, VICTIM, made
from tests.faults.log_damaged import REPLY, SCRIPT, _manners
from tests.faults.log_runs import Runs, warm
from tests.faults.report import Found
from tests.faults.taken_live import talked, ways
from tests.journal.damaged import Damage, damages, places, whole
from tests.journal.tampered import TAMPERED, tamper

NAMES = (*GOOD, VICTIM)
BOUNDED = 1
"""So many of each in CI."""
Shown = dict[str, dict[int, str]]
"""Of each conversation the events by number, as a command shows them."""


def tried(whole: bool, seed: int) -> list[Found]:
    """Three rows: cut and damaged, tampered with, taken away."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="jp-tui-taken-") as name, warm() as runs:
        folder = Path(name)
        template = folder / "template"
        path = made(template)
        (template / "reply.toml").write_text(f'fallback = "{REPLY}"\n{SCRIPT}')
        _asked(path)
        found = list(damages(path))
        tampered, live = dict(TAMPERED), ways()
        if not whole:
            found = chance.sample(found, BOUNDED)
            tampered = {name: TAMPERED[name] for name in chance.sample(sorted(TAMPERED), BOUNDED)}
            live = chance.sample(live, BOUNDED)
        return [_cut(runs, template, found, seed), _tampered(runs, template, tampered), _taken(folder, live)]


def _asked(path: Path) -> None:
    """A question waits in the last turn of the victim."""
    from jp_tui.conversation import events as ev
    from jp_tui.conversation.ids import timestamp
    from jp_tui.conversation.reading import read_event
    from jp_tui.engine.record.event_codec import entry
    from jp_tui.journal.store import open_journal
    from tests.bench.store import BEGAN

    at = timestamp(BEGAN.replace(hour=9))
    question = {"text": "Go on?", "answer_type": {"type": "boolean"}}
    parts: list[ev.Event] = [
        ev.TurnStart(timestamp=at),
        ev.ChatRequest(timestamp=at, content="change it"),
        ev.ToolCallRequest(timestamp=at, id="call_1", name="fs_modify_file", arguments={}),
        read_event(
            {
                "type": "inquiry_request",
                "timestamp": at,
                "id": "a.q.1",
                "source": {"source": "tool", "name": "x"},
                "question": question,
                "metadata": {"call": "call_1"},
            }
        ),
    ]
    journal = open_journal(path)
    try:
        journal.append(VICTIM, [entry(part, 99, at)[0] for part in parts]).result()
        while journal.index().result():
            pass
    finally:
        journal.close()


def _cut(runs: Runs, template: Path, found: list[tuple[str, set[int], Damage]], seed: int) -> Found:
    result = Found("a store that was cut or damaged", 0)
    home = template.with_name("home")
    before, lies = _shown(runs, _copied(template, home)), places(template / "data" / "conversations.db")
    events, kept = 0, 0
    for name, touched, damage in found:
        path = _copied(template, home) / "data" / "conversations.db"
        damage(path)
        result.runs += 1
        ran = runs.run(home, "conversations", "list", "--json")
        result.failed += [f"{name}: `list` {wrong} (seed {seed})" for wrong in _manners(ran)]
        if ran.code:
            result.failed.append(f"{name}: `list` ended with {ran.code}: {ran.err[-200:]!r}")
        now = _shown(runs, home)
        untouched = {(NAMES[int(key[1:])], seq) for key, seq in whole(lies, touched)}
        lost = [one for one in untouched if now[one[0]].get(one[1]) != before[one[0]][one[1]]]
        if lost:
            result.failed.append(f"{name}: lost {len(lost)} events that were not touched (seed {seed})")
        events += len(lies)
        kept += sum(now[one].get(seq) == text for one, all_ in before.items() for seq, text in all_.items())
        if "damaged" in ran.err and not any(".damaged-" in one.name for one in path.parent.iterdir()):
            result.failed.append(f"{name}: the original is not kept")
        again = runs.run(home, "query", "--model", f"demo/{home}/reply.toml", "and now?")
        if again.code != 0 or REPLY not in again.out:
            result.failed.append(f"{name}: nothing can be asked any more: {again.err[-200:]!r}")
    result.figures["events as they were"] = f"{100 * kept / max(events, 1):.1f} %"
    return result


def _tampered(runs: Runs, template: Path, tampered: Mapping[str, tuple[str, ...]]) -> Found:
    result = Found("a store whose derived rows were tampered with", 0)
    home = template.with_name("home")
    before = [*_told(runs, _copied(template, home))]
    for name, statements in tampered.items():
        path = _copied(template, home) / "data" / "conversations.db"
        tamper(path, *(one.replace("'c1'", f"'{VICTIM}'").replace("'c2'", f"'{GOOD[1]}'") for one in statements))
        for (command, wanted), (_, now) in zip(before, _told(runs, home), strict=True):
            result.runs += 1
            if now != wanted:
                result.failed.append(f"{name}: `{command}` says {now[-300:]!r}, not {wanted[-300:]!r}")
        answered = runs.run(home, "answer", f"{VICTIM}/a.q.1", "true")
        asked = runs.run(home, "query", "--resume", GOOD[1], "--model", f"demo/{home}/reply.toml", "and now?")
        result.runs += 2
        if answered.code != 0 or asked.code != 0 or REPLY not in asked.out:
            words = f"{answered.code} {answered.err[-200:]!r}, {asked.code} {asked.err[-200:]!r}"
            result.failed.append(f"{name}: cannot be answered or asked: {words}")
    return result


def _told(runs: Runs, home: Path) -> Iterator[tuple[str, str]]:
    """What commands say of what is derived."""
    for words in (
        ("conversations", "list", "--json"),
        ("inquiries", "--pending", "--json"),
        ("conversations", "show", VICTIM, "--json"),
        ("conversations", "search", "zqfind", "--json"),
    ):
        ran = runs.run(home, *words)
        yield " ".join(words), f"{ran.code} {ran.out}{ran.err}"


def _taken(folder: Path, live: list[tuple[str, object, bool]]) -> Found:
    result = Found("a database taken away while it is open", 0)
    for name, away, beside in live:
        result.runs += 1
        wrong = [*talked(folder, name, away, beside=beside)]  # type: ignore[arg-type]
        result.failed += [f"{name}{', two open' if beside else ''}: {one}" for one in wrong]
    return result


def _copied(template: Path, home: Path) -> Path:
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(template, home)
    return home


def _shown(runs: Runs, home: Path) -> Shown:
    """Every event that `show` shows, but for marks of missing ones."""
    found: Shown = {}
    for name in NAMES:
        lines = runs.run(home, "conversations", "show", name, "--json").out.splitlines()
        events = [json.loads(line) for line in lines]
        found[name] = {one["seq"]: json.dumps(one) for one in events if one.get("type") != "unreadable"}
    return found
