"""What stands in the store after a kill, against what was shown before it; then the conversation is taken up again.

Opens the store with the program's own code, resumes with the real engine, answers what it asks again, and looks at the
whole once more. Every finding is a sentence; nothing is mended here.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jp_tui.journal.port import Journal, JournalError, Partial
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.startup.engine import link
from jp_tui.startup.parts import Parts, journal
from tests import limits
from tests.faults.kills_player import response
from tests.faults.kills_scenes import TRACES

LIMIT = limits.LIMIT / 4
LAG = 1.0
"""Seconds of streamed text, or typed text, that a kill may take."""

Told = Sequence[Mapping[str, Any]]


class Judge:
    """Of one run: `died` is the end of the time that the process had, by the clock of `told`."""

    def __init__(self, made: Parts, told: Told, died: float, *, goes_on: bool) -> None:
        self._made, self._told, self._died, self._goes_on = made, told, died, goes_on
        self.found: list[str] = []
        self.figures: Counter[str] = Counter()
        self._logs: dict[str, list[dict[str, Any]]] = {}

    def judge(self) -> None:
        """All of it; what is found stands in `found`."""
        self._sound("after the kill")
        try:
            store = journal(self._made)
        except JournalError as problem:
            self.found.append(f"the store cannot be opened: {problem}")
            return
        try:
            self._logs = self._read(store)
            self._shown()
            self._streamed(store)
            self._decided(store)
            waits = self._waits(store)
        finally:
            store.close()
        before = {id_: list(log) for id_, log in self._logs.items()}
        self._resume(waits)
        self._sound("after it was taken up again")
        store = journal(self._made)
        try:
            self._logs = self._read(store)
        finally:
            store.close()
        for id_, log in before.items():
            if self._logs.get(id_, [])[: len(log)] != log:
                self.found.append(f"the log of {id_} was changed by taking it up")
        self._whole()

    # -- the store

    def _sound(self, when: str) -> None:
        path = self._made.paths.database
        if not path.exists():
            return
        db = sqlite3.connect(path)
        try:
            said = db.execute("PRAGMA integrity_check").fetchone()
        except sqlite3.Error as problem:
            said = (str(problem),)
        finally:
            db.close()
        if said != ("ok",):
            self.found.append(f"the store is damaged {when}: {said}")

    def _read(self, store: Journal) -> dict[str, list[dict[str, Any]]]:
        logs: dict[str, list[dict[str, Any]]] = {}
        for row in store.conversations(children=True):
            rows = store.read(row.id, 0, 100_000)
            if [one.seq for one in rows] != list(range(1, row.last_seq + 1)):
                self.found.append(f"the log of {row.id} has a gap: {[one.seq for one in rows]} of {row.last_seq}")
            logs[row.id] = [json.loads(one.entry.payload) for one in rows]
        return logs

    def _shown(self) -> None:
        """0 shown events lost (R205)."""
        for line in self._told:
            log = self._logs.get(line.get("conversation", ""), [])
            if "shown" in line:
                self.figures["events"] += 1
                stands = log[line["shown"] - 1] if line["shown"] <= len(log) else None
                if stands != line["event"]:
                    self.found.append(f"event {line['shown']} was shown and is lost: {line['event']} / {stands}")
            elif "asked" in line and line["kind"] == "question":
                if not any(one["type"] == "inquiry_request" and one["id"] == line["asked"] for one in log):
                    self.found.append(f"the question {line['asked']} was shown and is not on record")
            elif line.get("how") in ("answered", "redacted"):
                if not any(one["type"] == "inquiry_response" and one["id"] == line["settled"] for one in log) and not (
                    self._permission(line["settled"])
                ):
                    self.found.append(f"{line['settled']} was shown as answered, and the answer is not on record")
            elif "trouble" in line:
                self.found.append(f"before the kill it said: {line['trouble']}")

    def _permission(self, inquiry: str) -> bool:
        return any(line.get("asked") == inquiry and line["kind"] != "question" for line in self._told)

    def _streamed(self, store: Journal) -> None:
        """Of a reply that streamed at most the last second is missing, and nothing is in it that was not said."""
        grown: dict[tuple[str, str], list[tuple[float, str]]] = {}
        for line in self._told:
            if "grew" in line and line["kind"] in ("message", "reasoning"):
                grown.setdefault((line["conversation"], line["grew"]), []).append((line["at"], line["text"]))
            elif line.get("closes"):
                grown.pop((line["conversation"], line["closes"]), None)
        for (id_, part), pieces in grown.items():
            text = "".join(piece for _, piece in pieces)
            safe = sum(len(piece) for at, piece in pieces if at < self._died - LAG)
            kept = _partial(store.partials(id_), part)
            said = [str(one.get("message") or one.get("reasoning") or "") for one in self._logs.get(id_, [])]
            if not any(
                (each.startswith(text) or text.startswith(each)) and len(each) >= safe for each in (kept, *said)
            ):
                self.found.append(f"of {part} {len(text)} characters were shown, kept is {len(kept)}, {safe} must be")

    def _decided(self, store: Journal) -> None:
        """Nothing ran without its decision on record."""
        for trace in TRACES:
            file = self._made.workspace / trace.file
            if not file.is_file() or trace.holds not in file.read_text():
                continue
            self.figures["runs"] += 1
            if not any(
                self._decision(log, store.partials(id_), call["id"])
                for id_, log in self._logs.items()
                for call in log
                if call["type"] == "tool_call_request" and call["name"] == trace.tool and trace.mark in json.dumps(call)
            ):
                self.found.append(f"{trace.tool} ran ({trace.holds!r}) and no decision about it is on record")

    def _decision(self, log: Sequence[Mapping[str, Any]], partials: Iterable[Partial], call: str) -> bool:
        asked = {one["id"] for one in log if one["type"] == "inquiry_request" and one["metadata"].get("call") == call}
        for one in log:
            if one["type"] == "inquiry_response" and one["id"] in asked and one.get("answer") is True:
                return True
            about = one.get("metadata", {}).get("permission", {})
            if one["type"] == "tool_call_response" and one["id"] == call and about.get("choice") == "run":
                return True
        return any(call in partial.part and '"choice":"run"' in partial.text.replace(" ", "") for partial in partials)

    def _waits(self, store: Journal) -> dict[str, set[str]]:
        """Open questions and the drafts with which each may come back."""
        waits = {}
        for one in store.open_inquiries():
            inquiry, asker = one.entry.inquiry or "", json.loads(one.entry.payload)["source"].get("name", "")
            child = self._logs.get(asker.removeprefix("sub_agent:"), [])
            if not any(each["type"] == "inquiry_response" and _same(inquiry, each["id"]) for each in child):
                waits[inquiry] = self._drafts(inquiry)  # else the sub-agent has its answer, and asks no more
        return waits

    def _drafts(self, key: str) -> set[str]:
        """What may stand as a draft: what was typed since the last commit that was seen to hold one, or that itself;
        nothing that was typed over a second ago may be missing."""
        typed = [(line["at"], line["text"]) for line in self._told if line.get("typed") == key]
        stored = [text for line in self._told for name, text in line.get("drafts", ()) if name == key]
        texts = [text for _, text in typed]
        first = texts.index(stored[-1]) if stored and stored[-1] in texts else -1
        late = [number for number, (at, _) in enumerate(typed) if at < self._died - LAG]
        first = max([first, *late[-1:]])
        return set(texts[max(first, 0) :]) | (set() if first >= 0 else {""})

    # -- taking it up again

    def _resume(self, waits: Mapping[str, set[str]]) -> None:
        """Every open question is asked again with its draft; whatever was cut off comes to an end, and goes on."""
        top = next((line["opened"] for line in self._told if "opened" in line), None)
        if top not in self._logs or not self._logs[top]:
            return
        face = link(self._made, journal(self._made), client=True, command="the one after")
        face.start(lambda: None)
        face.send(c.OpenConversation(which="id", conversation=top))
        asked: dict[str, str] = {}
        again = False
        until = time.monotonic() + LIMIT
        try:
            while time.monotonic() < until:
                face.wait(1.0)
                for event in face.collect():
                    match event:
                        case e.ConversationOpened(page=page, drafts=drafts):
                            self._composer(drafts.get("composer", ""))
                            if page[-1].event["type"] == "turn_outcome":
                                if not self._goes_on:
                                    self._came_back(waits, asked)
                                    return
                                again = True
                                face.send(c.StartTurn(conversation=top, text="and now something else"))
                            else:
                                self.figures["taken up"] += 1
                        case e.QuestionAsked(prompt=prompt, draft=draft):
                            if prompt.kind == "question":
                                asked.setdefault(prompt.inquiry, draft)
                            face.send(
                                c.AnswerQuestion(
                                    conversation=prompt.conversation,
                                    inquiry=prompt.inquiry,
                                    digest=prompt.digest,
                                    response=response(prompt, yes=True),
                                )
                            )
                        case e.TurnCompleted(conversation=id_) if id_ == top:
                            if again or not self._goes_on:
                                self._came_back(waits, asked)
                                return
                            again = True
                            face.send(c.StartTurn(conversation=top, text="and now something else"))
                        case e.Refused(message=words) | e.StorageFailed(message=words) | e.EngineFailed(message=words):
                            self.found.append(f"taken up again it said: {words}")
                            return
                        case _:
                            pass
            self.found.append(f"taken up again it came to no end in {LIMIT:.0f} s; asked {asked}")
        finally:
            if not face.close(LIMIT):
                self.found.append("the engine did not end")

    def _composer(self, draft: str) -> None:
        may = self._drafts("composer")
        if draft and draft not in may:
            self.found.append(f"the composer holds {draft!r}, and not one of {sorted(may)}")

    def _came_back(self, waits: Mapping[str, set[str]], asked: Mapping[str, str]) -> None:
        for inquiry, drafts in waits.items():
            self.figures["questions"] += 1
            if inquiry not in asked and not any(_same(inquiry, one) for one in asked):
                self.found.append(f"the question {inquiry} was open and did not come back: {sorted(asked)}")
            elif drafts and asked.get(inquiry, next(iter(drafts))) not in drafts:
                self.found.append(f"{inquiry} came back with {asked[inquiry]!r}, and not one of {sorted(drafts)}")
            elif asked.get(inquiry):
                self.figures["drafts"] += 1

    def _whole(self) -> None:
        """Each call and each question has one response, each turn one end."""
        for id_, log in self._logs.items():
            kinds = Counter((one["type"], one.get("id")) for one in log)
            for (kind, name), count in kinds.items():
                if kind.endswith("_request") and kind != "chat_request":
                    answers = kinds[kind.replace("request", "response"), name]
                    if (count, answers) != (1, 1):
                        self.found.append(f"{kind} {name} of {id_} stands {count} times and has {answers} responses")
            begun = sum(one["type"] == "turn_start" for one in log)
            over = sum(one["type"] == "turn_outcome" for one in log)
            if begun != over:
                self.found.append(f"{id_} has {begun} turns and {over} ends")


def _partial(partials: Iterable[Partial], part: str) -> str:
    return next((one.text for one in partials if one.part == part), "")


def _same(one: str, other: str) -> bool:
    """What a sub-agent asks is handed on under another id (R220): the same question of the same attempt."""
    return one.rpartition(".")[2] == other.rpartition(".")[2] and one.split(".")[-2] == other.split(".")[-2]


def judged(made: Parts, told: Told, died: float, folder: Path, *, goes_on: bool) -> dict[str, Any]:
    """The findings and figures of one run; what the judge itself could not do is a finding. `goes_on`: something more
    is said in the conversation afterwards."""
    judge = Judge(made, told, died, goes_on=goes_on)
    try:
        judge.judge()
    except Exception as bug:
        import traceback

        judge.found.append(f"{type(bug).__name__}: {bug} ({folder}) {traceback.format_exc()[-600:]}")
    return {"found": judge.found, "figures": dict(judge.figures)}
