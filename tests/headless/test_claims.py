"""`jp-tui claim` and answers to what another person looks at, from outside (store.md D16)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from jp_tui.conversation.strict_json import Json
from jp_tui.headless.rpc.answer_parser import Outcome, parse_response
from jp_tui.headless.rpc.asks import ClientQuestions, OpenAsk
from jp_tui.headless.rpc.peer import Then
from jp_tui.headless.rpc.question_text import text
from jp_tui.headless.rpc.wire import RpcReply
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from jp_tui.settings.cli.arguments import CommandLine, parse
from jp_tui.settings.errors import UsageError
from jp_tui.startup.asking import given_claim
from tests.fakes import scenes
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment, jp, lines
from tests.headless.test_asked_people import Person, Team, until
from tests.headless.test_asked_people import team as team
from tests.headless.test_plain import QUESTION, Talk


def claim(person: Person, name: str, *words: str) -> tuple[int, dict[str, Any]]:
    ran = person.run("claim", name, *words, "--json")
    assert ran.stdout, ran.stderr
    return ran.returncode, lines(ran.stdout)[-1]


def test_d16_looking_at_it_and_handing_it_over(team: Team) -> None:
    ada, lead, second, third = team("ada", "lead", "second", "third")
    ada.has()
    name = ada.asks()
    ran = ada.run("claim", name, "--to", "role:cooks")
    assert ran.returncode == 2 and "role:cooks is nobody who answers questions of this store" in ran.stderr
    status, said = claim(ada, name, "--to", "role:ops")
    assert (status, said["status"], said["to"]) == (0, "assigned", "role:ops"), said
    assert claim(ada, name)[1]["status"] == "not_yours" == ada.answer(name)[1]["status"]
    ran = third.run("claim", name)
    assert ran.returncode == 2 and "No open question" in ran.stderr, "it isn't there for others"
    status, said = claim(lead, name)
    assert (status, said["status"], said["by"]) == (0, "claimed", "lead"), said
    assert [one["claimed_by"] for one in second.pending()] == ["lead"]
    status, said = claim(second, name)
    assert (status, said["status"], said["by"]) == (1, "taken", "lead")
    ran = second.run("answer", name, "yes")
    assert ran.returncode == 1 and "lead looks at this question." in ran.stderr and "--anyway" in ran.stderr
    assert claim(lead, name, "--release")[1]["status"] == "released"
    assert claim(second, name, "--to", "second")[1]["status"] == "assigned"
    assert second.answer(name)[1]["status"] == "accepted"
    status, said = claim(second, name)
    assert (status, said["status"]) == (1, "answered"), said
    events = ada.events(name)
    handed = [(one["from"], one["to"], one["responder"]["who"]) for one in events if one["type"] == "inquiry_assigned"]
    assert handed == [("", "role:ops", "ada"), ("role:ops", "second", "second")]


def test_d16_anyway_and_never_to_who_asks(team: Team) -> None:
    """One of two who must approve it hands it over: not to the asker, and said at once if too few are left."""
    ada, lead, second = team("ada", "lead", "second")
    ada.has(to="role:ops", approvals=2)
    name = ada.asks()
    assert claim(ada, name)[1]["status"] == "not_yours", "who asks would only keep others from it"
    claim(lead, name)
    status, said = second.answer(name)
    assert (status, said["status"], said["by"]) == (1, "claimed", "lead")
    assert second.answer(name, "yes", "--anyway")[1]["approvals"] == {"needed": 2, "by": ["second"]}
    for person in (ada, lead):
        status, said = claim(person, name, "--to", "ada")
        assert (status, said["status"]) == (2, "invalid") and "ada asks it" in said["message"]
    status, said = claim(lead, name, "--to", "third")
    assert (status, said["status"]) == (0, "assigned")
    assert "It needs 2 approvals, and only 1 person could give one. It stays open." in said["message"]
    assert lead.pending() == []


def test_d16_a_question_of_a_script_is_handed_over(team: Team) -> None:
    """It goes on waiting, and its answer is whose it is now."""
    ada, lead = team("ada", "lead")
    ada.has()
    with Forked(
        ["ask", "Deploy?", "--json"], env=environment(ada.home, **ada.more),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as asking:  # fmt: skip
        (waits,) = until(ada.pending)
        name = f"{waits['conversation']}/{waits['id']}"
        assert claim(ada, name, "--to", "lead")[1]["status"] == "assigned"
        assert ada.answer(name)[1]["status"] == "not_yours"
        assert claim(lead, name)[0] == 0 and lead.answer(name)[1]["status"] == "accepted"
        out, err = asking.communicate(b"", timeout=LIMIT)
    assert asking.wait() == 0, err.decode()
    assert lines(out.decode())[-1]["responder"]["who"] == "lead"


def test_d16_a_store_of_one_person(tmp_path: Path) -> None:
    ran = jp(tmp_path, "claim", "q")
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", "jp-tui: Only you use this store.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["q", "--release", "--to", "lead"], "claim takes --release or --to WHO, not both"),
        (["q", "--to", "role:"], "--to: expected the name of a person"),
        (["q", "--to", "a\nb"], "--to: expected the name of a person"),
        ([], "INQUIRY"),
    ],
)
def test_d16_bad_words(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        given_claim(cast(CommandLine, parse(["claim", *words])))


def changed(**more: Any) -> e.PromptChanged:
    prompt = scenes.prompt("boolean")
    return e.PromptChanged(conversation=prompt.conversation, inquiry=prompt.inquiry, to="role:ops", **more)


class Client:
    """A client of `rpc` or an editor, as its dialect."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def given(self, ask: OpenAsk) -> None:
        """Nothing was answered before."""

    def request(self, ask: OpenAsk, then: Then) -> str:
        self.asked.append(text(ask.prompt, ask.stage, ask.problem))
        self.reply = then
        return str(len(self.asked))

    def read(self, ask: OpenAsk, result: Json) -> Outcome:
        return parse_response(ask.prompt, ask.stage, result)

    def withdraw(self, request: str) -> bool:
        return True

    def settled(self, ask: OpenAsk, request: str, how: str, by: str) -> None:
        """It is closed."""


def test_d16_a_client_gives_its_answer_again_to_override_a_claim() -> None:
    client, sent = Client(), list[c.Command]()
    questions = ClientQuestions(client, sent.append)
    questions.asked(scenes.prompt("boolean"))
    questions.changed(changed(claimed_by="lead"))
    client.reply(RpcReply("1", result={"answer": "yes"}))
    assert sent == [] and "lead looks at this question" in client.asked[1]
    assert "For ops (a group) · lead looks at it." in client.asked[1]
    questions.changed(changed(claimed_by="second"))
    client.reply(RpcReply("1", result={"answer": "yes"}))
    assert sent == [] and "second looks at this question" in client.asked[2], "another one now"
    client.reply(RpcReply("1", result={"answer": "yes"}))
    (given,) = sent
    assert isinstance(given, c.AnswerQuestion) and given.response == Answered(value=True)


def test_d16_lines_ask_before_an_answer_overrides_a_claim() -> None:
    """At a question and for `/answer`, which is entered again; a reply, which withdraws nothing of theirs, isn't
    asked about."""
    talk = Talk("go", "y", "y", "/answer k.q.1 yes", "/answer k.q.1 no", "/answer k.q.1 no", "/quit")
    asked = QUESTION.model_copy(update={"claimed_by": "lead"})
    talk.starts(e.QuestionAsked(conversation="c1", prompt=asked))
    talk.link.answers[c.OfferAnswer] = lambda one: [
        e.OfferSettled(status="accepted" if one.anyway else "claimed", inquiry="k.q.1", by="" if one.anyway else "lead")
    ]
    _, shown = talk.end()
    (answer,) = talk.link.of(c.AnswerQuestion)
    assert answer.response == Answered(value=True)
    assert shown.count("Not accepted: lead looks at this question. Give the answer again to override that") == 1
    offers = [(one.value, one.anyway) for one in talk.link.of(c.OfferAnswer)]
    assert offers == [("yes", False), ("no", False), ("no", True)]
    assert shown.count("Enter the same line again") == 2


def test_d16_claims_in_lines() -> None:
    talk = Talk(
        "/claim k.q.1", "/claim k.q.1 release", "/claim k.q.1 to role:ops", "/claim", "/claim k.q.1 to", "/quit"
    )
    talk.link.answers[c.ClaimInquiry] = lambda one: [
        e.ClaimSettled(status="claimed", inquiry=one.inquiry, message=f"Done: {one.release} {one.to}")
    ]
    _, shown = talk.end()
    assert [(one.release, one.to) for one in talk.link.of(c.ClaimInquiry)] == [
        (False, ""), (True, ""), (False, "role:ops"),
    ]  # fmt: skip
    assert "Done: True " in shown and "Done: False role:ops" in shown and shown.count("Enter /claim ID, /claim") == 2
