"""ask_user's list shape as the coordinator runs it: the walk, the last look, what comes back (R166-R182b, E25)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.questions.types import FormView, MultiSelectAnswer, Option, Place, SchemaAnswer
from jp_tui.questions.wire import digest
from jp_tui.tools.port import FormLeft, GivenAnswer, NeedsInput, NeedsReview, Outcome, ToolCall
from jp_tui.tools.registry import builtin

SCHEMA: JsonObject = {"type": "integer"}
DEPLOY: dict[str, Any] = {
    "questions": [
        {"id": "deploy", "text": "Deploy?", "answer_type": "boolean", "default": True},
        {
            "id": "env", "text": "Where?", "context": "two places", "answer_type": "select",
            "options": ["test", "prod"], "when": {"question_id": "deploy", "equals": True},
        },
        {
            "id": "parts", "text": "Which?", "answer_type": "multi_select", "options": ["web", {"value": "db"}],
            "default": ["db"],
        },
        {"id": "port", "text": "Port?", "answer_type": "schema", "schema": SCHEMA, "default": 80},
        {"id": "note", "text": "Note?", "answer_type": "text"},
    ]
}  # fmt: skip


async def usable(schema: JsonObject) -> str | None:
    return None


async def run(arguments: dict[str, Any], given: dict[str, Any] | None = None, **rest: Any) -> Outcome:
    answers = {id: one if isinstance(one, GivenAnswer) else GivenAnswer(one, "") for id, one in (given or {}).items()}
    rest.setdefault("usable", usable)
    return await builtin()["ask_user"].run(ToolCall(arguments, Path(), answers=answers, **rest))


async def asked(arguments: dict[str, Any], given: dict[str, Any] | None = None) -> NeedsInput:
    found = await run(arguments, given)
    assert isinstance(found, NeedsInput)
    return found


ALL: dict[str, Any] = {"deploy": True, "env": "prod", "parts": ["web", "db"], "port": 8080, "note": ""}


async def test_the_questions_come_in_order() -> None:
    """R158, R166: each the assistant's own, for a human only; R44: as it was sent."""
    given: dict[str, Any] = {}
    for sent in DEPLOY["questions"]:
        found = await asked(DEPLOY, given)
        question = found.question
        assert (question.id, question.text, question.context) == (sent["id"], sent["text"], sent.get("context"))
        assert (question.exclusive, question.persistence, question.floor) == (True, "none", False)
        assert (question.has_default, question.default) == ("default" in sent, sent.get("default"))
        assert found.form is not None and found.form.progress == (len(given) + 1, 5)
        given[sent["id"]] = ALL[sent["id"]]
    assert isinstance(await run(DEPLOY, given), Success)


async def test_what_a_face_sees_of_the_form() -> None:
    """R182b, E23: answered, current, skipped and why, ahead with the question."""
    note = (await asked(DEPLOY, {id_: value for id_, value in ALL.items() if id_ != "note"})).question
    found = await asked(DEPLOY, {"deploy": GivenAnswer(False, "", unseen=True), "parts": ["web"]})
    assert found.form == FormView(
        (
            Place("deploy", "Deploy?", "answered", False, fixed=True),
            Place("env", "Where?", "skipped", because="asked only if `deploy` is yes"),
            Place("parts", "Which?", "answered", ["web"]),
            Place("port", "Port?", "current"),
            Place("note", "Note?", "ahead", question=note),
        )
    )
    assert found.question.answer_type == SchemaAnswer(SCHEMA)


async def test_the_body() -> None:
    """R169: every id in submitted order, whatever the order of the answers; `""` is an answer, null is none (C9)."""
    found = await run(DEPLOY, dict(reversed(ALL.items())))
    assert found == Success('{"deploy": true, "env": "prod", "parts": ["web", "db"], "port": 8080, "note": ""}')
    found = await run(DEPLOY, {**ALL, "deploy": False})
    assert found == Success('{"deploy": false, "env": null, "parts": ["web", "db"], "port": 8080, "note": ""}')


async def test_the_asker_can_tell_outcomes_apart() -> None:
    """E25: answered, empty on purpose, skipped by branch, replied with what was answered; the rest are errors."""
    skipped = await run(DEPLOY, {**ALL, "deploy": False, "note": "x"})
    replied = await run(DEPLOY, {"deploy": False}, replied=FormLeft("first tell me why"))
    assert isinstance(skipped, Success) and isinstance(replied, Success)
    values = json.loads(skipped.content)
    assert (values["deploy"], values["env"], values["note"]) == (False, None, "x")
    told = json.loads(replied.content)
    assert told == {"cancelled": True, "answered": {"deploy": False}, "reply": "first tell me why"}


@pytest.mark.parametrize(
    ("given", "text", "body"),
    [
        ({}, None, '{"cancelled": true, "answered": {}}'),
        ({"deploy": True}, "", '{"cancelled": true, "answered": {"deploy": true}}'),
        ({"deploy": False, "parts": []}, None, '{"cancelled": true, "answered": {"deploy": false, "parts": []}}'),
        ({"deploy": False, "env": "prod"}, "é", '{"cancelled": true, "answered": {"deploy": false}, "reply": "é"}'),
        ({"deploy": True, "env": "", "note": "n"}, None,
         '{"cancelled": true, "answered": {"deploy": true, "env": "", "note": "n"}}'),
    ],
)  # fmt: skip
async def test_a_reply_at_the_first_the_middle_and_the_end(given: dict[str, Any], text: str | None, body: str) -> None:
    """R179, C8, M43: what was collected and still counts, without nulls."""
    assert await run(DEPLOY, given, replied=FormLeft(text)) == Success(body)


async def test_the_last_look() -> None:
    """R182b: after the last of several, where a face reviews and somebody was asked; then it counts."""
    found = await run(DEPLOY, ALL, reviews=True)
    assert isinstance(found, NeedsReview)
    assert [place.state for place in found.form.places] == ["answered"] * 5
    assert found.form.progress is None
    assert isinstance(await run(DEPLOY, ALL, reviews=True, reviewed=True), Success)
    assert isinstance(await run(DEPLOY, ALL), Success), "R240: without review the last answer finishes"
    left = await run(DEPLOY, ALL, reviews=True, replied=FormLeft(None))
    assert isinstance(left, Success) and left.content.startswith('{"cancelled": true')


async def test_nobody_reviews_what_nobody_was_asked() -> None:
    """R182b, R172: all by settings, no last look; one prompt is enough for one."""
    fixed = {id: GivenAnswer(value, "", unseen=True) for id, value in ALL.items()}
    assert isinstance(await run(DEPLOY, fixed, reviews=True), Success)
    assert isinstance(await run(DEPLOY, {**fixed, "note": ""}, reviews=True), NeedsReview)


async def test_going_back_is_fewer_answers() -> None:
    """R176, R177: the same question comes again; another answer takes another branch, the same one the same."""
    found = await asked(DEPLOY, {})
    assert found.question.id == "deploy"
    again = await asked(DEPLOY, {"deploy": True})
    other = await asked(DEPLOY, {"deploy": False})
    assert (again.question.id, other.question.id) == ("env", "parts")
    assert digest(again.question) == digest((await asked(DEPLOY, {"deploy": True})).question)


async def test_one_entry_looks_like_the_flat_form_and_answers_like_a_list() -> None:
    """R170: no form, no progress, no last look; the map shape."""
    arguments = {"questions": DEPLOY["questions"][:1]}
    found = await asked(arguments)
    assert found.form is None
    assert await run(arguments, {"deploy": False}, reviews=True) == Success('{"deploy": false}')
    left = await run(arguments, {}, replied=FormLeft("no"))
    assert left == Success('{"cancelled": true, "answered": {}, "reply": "no"}')


@pytest.mark.parametrize(
    "wrong",
    [{"deploy": 1}, {"env": "moon"}, {"parts": ["web", "web"]}, {"parts": "web"}, {"note": None}, {"note": 5}],
)
async def test_an_answer_that_does_not_fit_is_refused_at_the_end(wrong: dict[str, Any]) -> None:
    """R168, M26: before a review too. One to a schema had its verdict at the door."""
    given = {**ALL, "deploy": True, **wrong}
    if "deploy" in wrong:
        given.pop("env")
    for reviews in (False, True):
        found = await run(DEPLOY, given, reviews=reviews)
        assert found == Failure("the accumulated answer does not match the requested answer type")


async def test_an_answer_that_no_longer_counts_is_not_looked_at() -> None:
    """R168, R169: of a skipped question."""
    assert isinstance(await run(DEPLOY, {**ALL, "deploy": False, "env": "moon"}), Success)


async def test_all_problems_at_once_in_the_structured_error() -> None:
    """R164, M25: nothing is asked."""
    questions = [{"id": "a", "text": "?\n?", "answer_type": "secret"}, {"id": "a", "text": "?", "answer_type": "text"}]
    found = await run({"questions": questions})
    assert isinstance(found, Failure)
    told = json.loads(found.message)
    assert [(one["code"], one["path"]) for one in told["problems"]] == [
        ("V2", "/questions/0/text"), ("V12", "/questions/0/answer_type"), ("V7", "/questions/1/id")
    ]  # fmt: skip


async def test_schemas_are_judged_before_anything_is_asked() -> None:
    """V9: each once, with the other problems; not again when there are answers, so nothing can fail half way."""
    looked: list[JsonObject] = []

    async def bad(schema: JsonObject) -> str | None:
        looked.append(schema)
        return None if schema == SCHEMA else "it leaves the schema"

    entry = {"id": "a", "text": "A?", "answer_type": "schema", "schema": SCHEMA}
    remote = {"$ref": "https://example.org/s"}
    questions = [entry, {**entry, "id": "b"}, {**entry, "id": "c", "schema": remote}, {"id": "d", "text": "D?"}]
    found = await run({"questions": questions}, usable=bad)
    assert isinstance(found, Failure)
    assert [(one["code"], one["path"]) for one in json.loads(found.message)["problems"]] == [
        ("V9", "/questions/2/schema"), ("V12", "/questions/3/answer_type")
    ]  # fmt: skip
    assert looked == [SCHEMA, remote]
    found = await run({"questions": questions[:2]}, {"a": 3}, usable=bad)
    assert isinstance(found, NeedsInput) and len(looked) == 2
    assert isinstance(await run({"questions": questions[:2]}, replied=FormLeft(None), usable=bad), Success)
    assert len(looked) == 2


async def test_where_nobody_can_check_no_schema_is_asked() -> None:
    """V9: a call without a checker refuses; it never asks unchecked."""
    tool = builtin()["ask_user"]
    found = await tool.run(ToolCall({"questions": DEPLOY["questions"]}, Path()))
    assert isinstance(found, Failure)
    assert json.loads(found.message)["problems"][0]["code"] == "V9"


async def test_options_carry_what_a_model_says_of_them() -> None:
    """R9, E21, E22: in the order they were sent; what comes first on a screen is a face's matter."""
    options = ["web", {"value": "db", "description": "slow", "preview": "```sql\n```", "recommended": True}]
    entry = {"id": "a", "text": "Which?", "answer_type": "multi_select", "options": options}
    found = await asked({"questions": [entry]})
    assert found.question.answer_type == MultiSelectAnswer(
        (Option("web"), Option("db", "slow", "```sql\n```", recommended=True))
    )
