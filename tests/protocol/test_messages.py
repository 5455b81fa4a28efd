"""Every message of the protocol: its pinned literal, its round trip as JSON, nothing but data in it (HOUSE habit 4)."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands, events, values
from jp_tui.questions.types import BooleanAnswer, Option, Question, SelectAnswer

COMMANDS = {
    "open_conversation", "read_events", "start_turn", "interrupt_turn", "answer_question", "list_conversations",
    "read_conversation", "read_history", "save_draft", "set_setting", "check_answer", "list_inquiries", "offer_answer",
    "claim_inquiry", "list_people",
    "read_ledger", "revoke_entry", "ask_aside", "send_aside", "take_over", "read_reviewers", "shutdown",
    "carry_on", "ask_outside", "ask_outside_form", "permit_outside", "withdraw_outside", "client_gone", "watch_waiting",
    "read_trust", "trust_workspace", "distrust_workspace",
    "read_rules", "revoke_rule", "take_suggestion",
    "read_agents", "read_mcp", "accept_mcp_tools", "switch_mcp_tool", "restart_mcp_server", "log_in_to_mcp_server",
    "open_mcp_login", "stop_mcp_login",
    "read_settings", "reset_setting", "switch_model", "read_usage", "read_context", "set_plan_mode",
    "read_own_commands",
    "set_approval_mode",
    "read_changes", "undo_changes", "compact_conversation",
    "list_models", "probe_setup", "test_model", "save_setup",
    "search_conversations", "rename_conversation", "fork_conversation", "archive_conversation", "delete_conversation",
    "restore_conversation", "import_conversations", "cancel_work",
    "queue_turn", "take_queued", "send_queued", "read_queue", "find_files", "run_shell", "stop_shell", "check_image",
    "retry_store", "take_back_answer", "fill_server_prompt", "read_server_prompt",
}  # fmt: skip
EVENTS = {
    "title_changed", "conversation_opened", "events_read", "event_appended", "part_delta", "part_dropped",
    "turn_started", "turn_phase", "retrying", "background_failed", "turn_completed",
    "call_changed", "question_asked", "question_settled",
    "answer_refused", "conversations_listed", "conversation_read", "history_read", "setting_changed", "refused",
    "storage_failed", "user_notice", "store_state", "schedule_began", "answer_held", "drafts_found",
    "server_prompt_read", "server_prompt_filled",
    "engine_failed", "stopped", "answer_checked", "offer_settled", "inquiries_listed", "ledger_read",
    "aside_delta", "aside_ended", "review_started", "review_delta", "reviewers_read",
    "waiting_listed", "prompt_changed", "claim_settled", "people_listed",
    "outside_asked", "outside_settled", "outside_form_settled",
    "trust_read",
    "settings_read", "compacted", "model_switched", "usage_read", "context_read", "plan_mode_set",
    "own_commands_read", "window_learned", "plan_found",
    "rules_read", "mcp_read", "mcp_login", "agents_read",
    "approval_mode_set",
    "changes_read", "changes_undone",
    "models_listed", "setup_found", "model_tested", "setup_saved",
    "conversations_found", "conversation_changed", "conversation_forked", "conversations_imported", "library_progress",
    "queue_changed", "queue_taken", "files_found", "shell_output", "shell_ended", "image_checked",
}  # fmt: skip


def _members(union: Any) -> list[Any]:
    return list(get_args(get_args(union)[0]))


def test_literals_are_pinned() -> None:
    """A renamed message breaks clients: change these sets on purpose only."""
    assert {member.model_fields["type"].default for member in _members(commands.Command)} == COMMANDS
    assert {member.model_fields["type"].default for member in _members(events.Event)} == EVENTS


PROMPT = values.PromptRequest(
    conversation="c",
    inquiry="i.q.1",
    call="i",
    tool="fs_modify_file",
    turn=2,
    digest="d",
    source="tool",
    question=Question(
        "q", "Which?", SelectAnswer((Option("a", "first"), Option("[red]"))), default="a", has_default=True
    ),
    controls=frozenset({"reply", "cancel"}),
)


@pytest.mark.parametrize(
    "message",
    [
        commands.AnswerQuestion(conversation="c", inquiry="i", digest="d", response=values.Answered(value=[1, "a"])),
        commands.AnswerQuestion(conversation="c", inquiry="i", digest="d", response=values.Replied(text=None)),
        commands.OpenConversation(which="id", conversation="abc"),
    ],
)
def test_commands_survive_json(message: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(commands.Command)
    assert adapter.validate_json(message.model_dump_json()) == message


@pytest.mark.parametrize(
    "message",
    [
        events.QuestionAsked(conversation="c", prompt=PROMPT),
        events.EventAppended(
            conversation="c", stored=values.StoredEvent(seq=1, turn=1, event={"type": "turn_start"}), closes="p"
        ),
        events.PartDelta(conversation="c", turn=1, part="1.0.0", kind="message", text=Foreign("\x1b[31m[red]")),
        events.TurnCompleted(
            conversation="c", turn=1, outcome="failed", error=values.TurnError(kind="cut", message="m")
        ),
    ],
)
def test_events_survive_json(message: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(events.Event)
    assert adapter.validate_json(message.model_dump_json()) == message


def test_foreign_text_stays_foreign_on_the_wire() -> None:
    """The type of untrusted text survives the trip, and is no str."""
    delta = events.PartDelta(conversation="c", turn=1, part="p", kind="message", text=Foreign("[b]x"))
    back = events.PartDelta.model_validate_json(delta.model_dump_json())
    assert isinstance(back.text, Foreign) and back.text.raw == "[b]x"
    with pytest.raises(TypeError):
        f"{back.text}"


def test_messages_are_values() -> None:
    """Frozen, and strangers are refused."""
    with pytest.raises(ValidationError):
        commands.StartTurn.model_validate({"conversation": "c", "text": "t", "extra": 1})
    with pytest.raises(TypeError):
        commands.StartTurn(conversation="c", text="t", extra=1)  # type: ignore[call-arg]
    with pytest.raises(FrozenInstanceError):
        commands.Shutdown().type = "x"  # type: ignore[misc, assignment]


def test_a_boolean_answer_is_not_turned_into_a_number() -> None:
    """inquiries.md section 17: True is not 1."""
    adapter: TypeAdapter[Any] = TypeAdapter(commands.Command)
    command = commands.AnswerQuestion(conversation="c", inquiry="i", digest="d", response=values.Answered(value=True))
    assert adapter.validate_json(command.model_dump_json()).response.value is True
    assert Question("q", "t", BooleanAnswer()).answer_type.type == "boolean"


def test_a_wrong_value_is_found_where_a_test_makes_it() -> None:
    """What mypy doesn't see: values that come as a dict."""
    given: dict[str, Any] = {"conversation": "c", "text": 5}
    with pytest.raises(ValidationError):
        commands.StartTurn(**given)
    with pytest.raises(TypeError):
        commands.StartTurn(**{**given, "text": "t", "attachments": ["a list"]})
    assert commands.StartTurn.model_validate({**given, "text": "t", "attachments": ["a list"]}).attachments == (
        "a list",
    )
