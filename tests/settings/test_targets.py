"""R31-R35, R52, R53, R69, R72, R171, R254, C38: who is set to answer a question, in every form, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.settings import toolset
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.questions import UNSET, QuestionSettings, merge_with_slot, read_target, written_target
from jp_tui.settings.schema.assistant import target as checked
from tests.settings.conftest import Home

EXAMPLE = """\
[conversation.inquiry.assistant.model]
id = "anthropic/claude-haiku-4-5"
[conversation.tools.fs_modify_file.questions.apply_changes]
target = "assistant_with_escalation"
[conversation.tools.git_push.questions.force]
target = { model = { id = "inherit" }, escalation = true }
prompt_label = "git"
[conversation.tools.ask_user]
enable = { state = false }          # keeps allow_toggle = if_named from the built-in
"""


def test_r69_the_example_parses_and_resolves_as_shown(home: Home) -> None:
    alone = home.load(EXAMPLE)
    toolset.tools(alone)  # git_push is defined somewhere else, or not yet
    assert alone.notices[0].keys == ("conversation.tools.git_push",)
    push = ["conversation.tools.git_push.source=local", "conversation.tools.git_push.command=git push"]
    settings = home.load(EXAMPLE, cfg=push)
    assert settings.get("conversation", "inquiry", "assistant", "model", "id") == "anthropic/claude-haiku-4-5"
    tools = toolset.tools(settings)
    change = tools["fs_modify_file"].question("apply_changes")
    assert (change.target, change.overrides) == ("assistant_with_escalation", {})
    force = tools["git_push"].question("force")
    assert (force.target, force.overrides) == ("assistant_with_escalation", {"model": {"id": "inherit"}})
    assert (force.prompt_label, force.place) == ("git", f"{home.user}:6")
    assert tools["ask_user"].enable == toolset.Enable(False, "if_named")
    assert tools["ask_user"].question("answer").prompt_label == "Assistant"
    assert not settings.notices


MODEL = "conversation.inquiry.assistant.model.id = 'local/judge'\n"


def test_r72_an_unset_target_of_a_change_follows_the_inquiry_model(home: Home) -> None:
    for tool in ("fs_modify_file", "fs_create_file"):
        unset = toolset.tools(home.load())[tool].question("apply_changes")
        assert (unset.target, unset.place) == ("user", "")
        assert unset.why == "conversation.inquiry.assistant.model.id is not set"
        reviewed = toolset.tools(home.load(MODEL))[tool].question("apply_changes")
        assert (reviewed.target, reviewed.place) == ("assistant_with_escalation", f"{home.user}:1")
        own = toolset.tools(home.load(f"{MODEL}conversation.tools.{tool}.questions.apply_changes.target = 'user'"))
        assert (own[tool].question("apply_changes").target, own[tool].question("apply_changes").why) == ("user", "")


def test_r72_other_questions_and_other_peoples_tools_stay_with_the_user(home: Home) -> None:
    settings = home.load(
        f"{MODEL}[conversation.tools]\nfs_delete_file.questions.confirm.prompt_label = 'x'\n"
        "mine = { source = 'local', command = 'x', questions = { apply_changes = {} } }\n"
    )
    tools = toolset.tools(settings)
    assert tools["fs_delete_file"].question("confirm").target == "user"
    assert tools["mine"].question("apply_changes").target == "user"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("'auto'", 'target: found "auto" (allowed: user, assistant, assistant_with_escalation)'),
        ("true", "target: found true (allowed: user, assistant, assistant_with_escalation)"),
        ("{ modle = { id = 'a/b' } }", "target.modle: isn't a valid key. Did you mean"),
        ("{ model = { name = 'x' } }", "target.model.name: isn't a valid key (allowed: effort, id, parameters)"),
        ("{ model = { id = 3 } }", "target.model.id: expected text, found 3"),
        ("{ escalation = 'yes' }", 'target.escalation: expected true or false, found "yes"'),
        ("{ request = { max_retries = -1 } }", "target.request.max_retries: expected a whole number"),
        ("{ tools = [] }", "target.tools: isn't a valid key"),
    ],
)
def test_c38_a_map_is_checked_as_an_assistant(home: Home, written: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load(f"[conversation.tools.a.questions.b]\ntarget = {written}")
    assert said in str(caught.value) and str(caught.value).startswith(f"{home.user}:2:")


def test_c38_the_nearest_key_is_named_where_it_stands(home: Home) -> None:
    with pytest.raises(SettingsError, match=r"Did you mean conversation\.tools\.a\.questions\.b\.target\.model\?"):
        home.load("[conversation.tools.a.questions.b]\ntarget = { modle = { id = 'a/b' } }")


OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "model": st.fixed_dictionaries({}, optional={"id": st.sampled_from(["inherit", "a/b"])}),
        "system_prompt": st.text(max_size=5),
        "tool_choice": st.sampled_from(["auto", "none"]),
        "request": st.fixed_dictionaries({}, optional={"max_retries": st.integers(0, 3)}),
    },
)


@given(OVERRIDES, st.sampled_from(["user", "assistant", "assistant_with_escalation"]))
def test_r53_what_is_written_is_read_back_and_is_the_shortest_form(overrides: dict[str, object], kind: str) -> None:
    if kind == "user":
        overrides = {}
    written = written_target(kind, overrides)  # type: ignore[arg-type]
    assert read_target(checked(written)) == (kind, overrides)
    assert isinstance(written, str) == (not overrides)
    if isinstance(written, dict):
        assert written.get("escalation") in (None, True)
        assert ("escalation" in written) == (kind == "assistant_with_escalation")


def test_r254_a_map_over_a_map_replaces_it_whole(home: Home) -> None:
    key = "conversation.tools.ask_user.questions.q.target"
    settings = home.load(
        f"{key} = {{ model = {{ id = 'a/b' }}, system_prompt = 'x', escalation = true }}",
        cfg=[f"{key}={{model = {{ parameters = {{ seed = 1 }} }} }}"],
    )
    question = toolset.tools(settings)["ask_user"].question("q")
    assert (question.target, question.overrides) == ("assistant", {"model": {"parameters": {"seed": 1}}})


def test_r171_a_question_of_the_model_falls_back_to_the_slot_field_by_field() -> None:
    slot = QuestionSettings("assistant", {"a": 1}, True, "yes", "Opal", True, "f:1", 60, chosen=True)
    alone = merge_with_slot(None, slot)
    assert (alone.target, alone.overrides, alone.prompt_label, alone.exclusive) == ("assistant", {"a": 1}, "Opal", True)
    assert (alone.has_answer, alone.answer, alone.slot, alone.deadline_secs, alone.place) == (
        True,
        "yes",
        "answer",
        60,
        "f:1",
    )
    own = merge_with_slot(QuestionSettings("user", {}, True, "no", None, False, "g:2", None, chosen=True), slot)
    assert (own.target, own.overrides, own.answer, own.slot) == ("user", {}, "no", "")
    assert (own.prompt_label, own.exclusive, own.deadline_secs, own.place) == ("Opal", False, 60, "g:2")
    assert merge_with_slot(None, UNSET) == UNSET


def test_r33_a_deadline_is_read(home: Home) -> None:
    settings = home.load("[conversation.tools.ask_user.questions.answer]\ndeadline_secs = 90")
    assert toolset.tools(settings)["ask_user"].question("answer").deadline_secs == 90
