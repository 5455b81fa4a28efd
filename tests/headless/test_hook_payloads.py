"""Payloads of other programs' hooks, and the form of our decisions (intake.md N20-N23).

The payloads and the output schemas are written here from what the programs publish: Codex's schemas of
`codex-rs/hooks/schema/generated`, Gemini CLI's `docs/hooks/reference.md`, Claude Code's hooks reference.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft7Validator

from jp_tui.headless.hooks import registry
from jp_tui.headless.hooks.program import BadPayload, HookProgram, HookVerdict, read_payload
from jp_tui.headless.hooks.run import duration, refusal
from jp_tui.protocol.outside import OutsideSettled
from jp_tui.startup.hooks import command
from jp_tui.system.paths import PathsError

SESSION: dict[str, Any] = {"session_id": "5b1f", "transcript_path": None, "cwd": "/srv/app", "model": "a-model"}
CODEX: dict[str, dict[str, Any]] = {
    "PreToolUse": {
        **SESSION, "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": "git push"}, "tool_use_id": "call_1", "turn_id": "t1",
    },
    "PermissionRequest": {
        **SESSION, "hook_event_name": "PermissionRequest", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": "git push", "description": "publish"}, "turn_id": "t1",
    },
}  # fmt: skip
GEMINI: dict[str, dict[str, Any]] = {
    "BeforeTool": {
        **SESSION, "hook_event_name": "BeforeTool", "timestamp": "2026-11-20T10:00:00Z",
        "tool_name": "run_shell_command", "tool_input": {"command": "git push", "description": "publish"},
    },
}  # fmt: skip
CLAUDE: dict[str, dict[str, Any]] = {
    name: {**SESSION, "hook_event_name": name, "permission_mode": "default", "tool_name": "Bash",
           "tool_input": {"command": "git push"}, "tool_use_id": "toolu_1"}
    for name in ("PreToolUse", "PermissionRequest")
}  # fmt: skip
OPENCODE: dict[str, dict[str, Any]] = {
    "tool.execute.before": {
        "hook_event_name": "tool.execute.before", "session_id": "ses_1", "cwd": "/srv/app", "tool_name": "bash",
        "tool_input": {"command": "git push", "description": "publish"},
    },
}  # fmt: skip
PAYLOADS = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "opencode": OPENCODE}
EVERY = [(word, name) for word, payloads in PAYLOADS.items() for name in payloads]


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": list(required)}


TEXT, SAID = {"type": "string"}, {"type": "string", "pattern": r"\S"}
CODEX_OUT = {
    "PreToolUse": closed({
        "hookSpecificOutput": closed(
            {"hookEventName": {"const": "PreToolUse"}, "permissionDecision": {"const": "deny"},
             "permissionDecisionReason": SAID}, "hookEventName", "permissionDecision", "permissionDecisionReason",
        ),
    }),
    "PermissionRequest": closed({
        "hookSpecificOutput": closed(
            {"hookEventName": {"const": "PermissionRequest"},
             "decision": closed({"behavior": {"enum": ["allow", "deny"]}, "message": SAID}, "behavior")},
            "hookEventName",
        ),
    }),
}  # fmt: skip
CLAUDE_OUT = {
    "PreToolUse": closed({
        "hookSpecificOutput": closed(
            {"hookEventName": {"const": "PreToolUse"}, "permissionDecision": {"enum": ["allow", "deny", "ask"]},
             "permissionDecisionReason": SAID, "updatedInput": {"type": "object"}},
            "hookEventName", "permissionDecision", "permissionDecisionReason",
        ),
    }),
    "PermissionRequest": closed({
        "hookSpecificOutput": closed(
            {"hookEventName": {"const": "PermissionRequest"}, "decision": {"oneOf": [
                closed({"behavior": {"const": "allow"}, "updatedInput": {"type": "object"}}, "behavior"),
                closed({"behavior": {"const": "deny"}, "message": SAID}, "behavior", "message"),
            ]}}, "hookEventName", "decision",
        ),
    }),
}  # fmt: skip
DENIES = closed({"decision": {"const": "deny"}, "reason": SAID})
DENIES["dependentRequired"] = {"decision": ["reason"]}
OUTPUTS = {"claude": CLAUDE_OUT, "codex": CODEX_OUT, "gemini": {"BeforeTool": DENIES},
           "opencode": {"tool.execute.before": DENIES}}  # fmt: skip


def allowed(output: object) -> bool:
    """True for an output that lets the call run."""
    text = json.dumps(output)
    return '"allow"' in text


def raw(word: str, name: str, **more: Any) -> bytes:
    return json.dumps({**PAYLOADS[word][name], **more}).encode()


# --- decisions


@pytest.mark.parametrize(("word", "name"), EVERY)
@pytest.mark.parametrize("choice", ["allow", "deny", "open", "late"])
def test_n21_each_decision_fits_the_published_form(word: str, name: str, choice: Any) -> None:
    program = registry.program(word)
    payload = read_payload(program, raw(word, name))
    assert (payload.tool, payload.arguments["command"]) == (PAYLOADS[word][name]["tool_name"], "git push")
    found = program.render(name, payload.kind, HookVerdict(choice, "a reason"))
    Draft7Validator(OUTPUTS[word][name]).validate(found)
    assert allowed(found) <= (choice == "allow")
    assert ("deny" in json.dumps(found)) >= (choice == "deny")
    if choice == "open":
        assert found == {}
    if choice == "deny":
        assert "a reason" in json.dumps(found)


FALLBACKS = {("claude", "PreToolUse"): "ask", ("claude", "PermissionRequest"): "", ("codex", "PreToolUse"): "deny",
             ("codex", "PermissionRequest"): "", ("gemini", "BeforeTool"): "deny",
             ("opencode", "tool.execute.before"): "deny"}  # fmt: skip


@pytest.mark.parametrize(("word", "name"), EVERY)
def test_n23_late_is_the_programs_own_prompt_or_no(word: str, name: str) -> None:
    program = registry.program(word)
    found = program.render(name, program.events[name], HookVerdict("late", "too late"))
    wanted = FALLBACKS[word, name]
    assert (found == {}) if not wanted else f'"{wanted}"' in json.dumps(found)


def test_n21_codex_never_gets_an_edited_input() -> None:
    codex, claude = registry.program("codex"), registry.program("claude")
    verdict = HookVerdict("allow", "", {"command": "ls"})
    assert "updatedInput" not in json.dumps(codex.render("PermissionRequest", "request", verdict))
    assert "updatedInput" in json.dumps(claude.render("PermissionRequest", "request", verdict))
    before = claude.render("PreToolUse", "before", HookVerdict("allow", "fine", {"command": "ls"}))
    Draft7Validator(CLAUDE_OUT["PreToolUse"]).validate(before)
    assert '"updatedInput": {"command": "ls"}' in json.dumps(before)
    assert [registry.program(word).edits for word in registry.WORDS] == [True, False, False, False]


REASONS = [
    (OutsideSettled(outcome="answered", answer=False, reason="too early", responder={"kind": "user"}), "too early"),
    (OutsideSettled(outcome="answered", answer=False, responder={"kind": "user"}), "The user said no"),
    (OutsideSettled(outcome="answered", answer=False, reason="x", responder={"kind": "assistant"}), "reviewer said no"),
    (OutsideSettled(outcome="answered", answer=False, reason="Refused by a rule (r)."), "Refused by a rule (r)."),
    (OutsideSettled(outcome="answered", answer=False), "A setting"),
    (OutsideSettled(outcome="declined", reason=" "), "declined"),
    (OutsideSettled(outcome="withdrawn"), "withdrawn"),
]


@pytest.mark.parametrize(("settled", "words"), REASONS, ids=lambda one: None)
def test_n21_a_no_always_has_a_reason(settled: OutsideSettled, words: str) -> None:
    assert words in refusal(settled)


def test_n23_a_time_limit_in_words() -> None:
    assert [duration(one) for one in (86_390, 590, 55, 0.5)] == ["23 h 59 min", "9 min", "55 s", "0.5 s"]


def test_n21_questions_of_claude_code_become_selects_and_their_answers_its_input() -> None:
    program = registry.program("claude")
    asked = {"questions": [
        {"question": "Which?\nmore", "header": "W", "multiSelect": False,
         "options": [{"label": "a", "description": "the first"}, {"label": "b"}]},
        {"question": "All?", "multiSelect": True, "options": [{"label": "x"}, {"label": "y"}]},
    ]}  # fmt: skip
    one, two = program.form("AskUserQuestion", asked)
    assert (one["text"], one["context"], one["answer_type"]) == ("Which?", "Which?\nmore", "select")
    assert one["options"] == [{"value": "a", "description": "the first"}, {"value": "b"}]
    assert two["answer_type"] == "multi_select"
    assert program.filled(asked, ("b", ["x", "y"]))["answers"] == {"Which?\nmore": "b", "All?": "x, y"}


# --- what the arguments of tools mean


def meaning(word: str, tool: str, arguments: dict[str, Any]) -> Any:
    name = next(iter(PAYLOADS[word]))
    return read_payload(registry.program(word), raw(word, name, tool_name=tool, tool_input=arguments))


def test_n3_changes_and_paths_of_known_tools() -> None:
    edit = meaning("claude", "Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"})
    assert [(one.path, one.before, one.after) for one in edit.changes] == [("/a", "x", "y")]
    write = meaning("gemini", "write_file", {"file_path": "/a", "content": "y"})
    assert [(one.path, one.before, one.after) for one in write.changes] == [("/a", None, "y")]
    many = meaning("claude", "MultiEdit", {"file_path": "/a", "edits": [{"old_string": "x", "new_string": "y"}]})
    assert len(many.changes) == 1 and many.meaning.writes
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** End Patch"
    assert meaning("codex", "apply_patch", {"command": patch}).paths == ("a.py", "b.py")
    assert meaning("codex", "apply_patch", {"command": "nothing"}).paths == ("",), "counts as any file"
    assert not meaning("opencode", "read", {"filePath": "/a"}).meaning.writes
    assert meaning("claude", "mcp__x__y", {"z": 1}).meaning.writes, "nothing is known of it"


# --- a corpus of payloads that fit nothing (N22): none is allowed

WRONG: list[Any] = [None, 0, 1.5, True, [], {}, "", ["x"], {"a": 1}, [[]]]
DEEP = "[" * 70 + "]" * 70


def bad_bytes(word: str, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield payloads that can't be read at all."""
    good = raw(word, name)
    for at in range(0, len(good) - 1, 23):
        yield f"cut at {at}", good[:at]
    begin = good[:-1]
    yield from {
        "nothing": b"", "null": b"null", "list": b"[]", "text": b'"x"', "number": b"7", "two": good + good,
        "tail": good + b"x", "latin": good.replace(b"git", b"g\xefit"), "nul": b"\0" + good,
        "utf-16": good.decode().encode("utf-16"),
        "nan": begin + b',"x":NaN}', "infinity": begin + b',"x":Infinity}', "huge": begin + b',"x":1e999}',
        "digits": begin + b',"x":' + b"1" * 400 + b"}", "twice": begin + b',"tool_name":"Bash"}',
        "surrogate": begin + b',"x":"\\ud800"}', "deep": begin + b',"x":' + DEEP.encode() + b"}",
        "large": begin + b',"x":"' + b"y" * (8 << 20) + b'"}', "comment": b"// x\n" + good,
        "single": good.replace(b'"', b"'"),
        "python": b"{'a': None}", "control": begin + b',"x":"\x01"}',
    }.items()  # fmt: skip


def bad_fields(word: str, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield payloads with a field of another type, or none."""
    base = PAYLOADS[word][name]
    for key in ("hook_event_name", "session_id", "tool_name", "tool_input", "cwd"):
        for value in WRONG:
            fits = (key == "tool_input" and isinstance(value, dict)) or (key == "cwd" and value in (None, ""))
            if not fits:
                yield f"{key}={value!r}", raw(word, name, **{key: value})
        if key != "cwd":
            yield f"no {key}", json.dumps({one: base[one] for one in base if one != key}).encode()
    for key in ("session_id", "tool_name", "cwd"):
        yield f"long {key}", raw(word, name, **{key: "x" * 20_000})
    for value in WRONG:
        yield f"command={value!r}", raw(word, name, tool_input={"command": value})
    yield "no command", raw(word, name, tool_input={})
    for value in ("\ud800", 10**400):
        yield f"argument {str(value)[:3]!r}", raw(word, name, tool_input={"command": "ls", "x": value})


def bad_files() -> Iterator[tuple[str, str, str, bytes]]:
    """Yield calls of tools that change files, with places or texts of another type."""
    for word, tool, keys in (
        ("claude", "Edit", ("file_path", "old_string", "new_string")), ("claude", "Write", ("file_path", "content")),
        ("gemini", "write_file", ("file_path", "content")), ("codex", "apply_patch", ("command",)),
        ("opencode", "edit", ("filePath", "oldString", "newString")),
    ):  # fmt: skip
        name = next(iter(PAYLOADS[word]))
        for key in keys:
            for value in WRONG:
                if value != "" or key in ("file_path", "filePath"):
                    data = raw(word, name, tool_name=tool, tool_input={**dict.fromkeys(keys, "x"), key: value})
                    yield f"{tool}.{key}={value!r}", word, name, data


def corpus() -> list[tuple[str, str, bytes]]:
    found = [
        (f"{word} {name}: {label}", word, data)
        for word, name in EVERY
        for part in (bad_bytes, bad_fields)
        for label, data in part(word, name)
    ]
    return found + [(f"{word}: {label}", word, data) for label, word, _, data in bad_files()]


def hooked(
    word: str, data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Run `hook` with a machine that allows every call that is read."""

    def allows(program: HookProgram, payload: Any, *_: Any) -> int:
        print(json.dumps({"allow": True}))
        return 0

    monkeypatch.setattr(command, "_decided", allows)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    status = command.hook(SimpleNamespace(command=f"hook {word}", limit=None), SimpleNamespace)  # type: ignore[arg-type]
    out = capsys.readouterr()
    return status, out.out, out.err


def test_n22_no_malformed_payload_is_allowed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = corpus()
    assert len({data for _, _, data in cases}) >= 300, len(cases)
    wrong = []
    for label, word, data in cases:
        status, out, err = hooked(word, data, monkeypatch, capsys)
        if (status, out, err.count("\n")) != (2, "", 1) or not err.startswith(f"jp-tui hook {word}: "):
            wrong.append((label, status, out[:80], err[:80]))
    assert not wrong, wrong[:10]


def test_n22_the_machine_of_this_test_would_allow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for word, name in EVERY:
        assert hooked(word, raw(word, name), monkeypatch, capsys)[:2] == (0, '{"allow": true}\n')


def test_n22_an_unknown_event_is_left_to_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for word, name in EVERY:
        assert hooked(word, raw(word, name, hook_event_name="PostToolUse"), monkeypatch, capsys) == (0, "{}\n", "")


def test_n22_our_own_bug_allows_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def bug(*_: Any) -> int:
        raise KeyError("two\nlines")

    monkeypatch.setattr(command, "_decided", bug)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw("claude", "PreToolUse"))))
    arguments: Any = SimpleNamespace(command="hook claude", limit=None)
    assert command.hook(arguments, SimpleNamespace) == 2  # type: ignore[arg-type]
    out = capsys.readouterr()
    assert out.out == "" and out.err.count("\n") == 1


@pytest.mark.parametrize("limit", ["0", "x", "-1", "1e12", "nan"])
def test_n23_a_bad_limit_allows_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], limit: str
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw("claude", "PreToolUse"))))
    arguments: Any = SimpleNamespace(command="hook claude", limit=limit)
    assert command.hook(arguments, SimpleNamespace) == 2  # type: ignore[arg-type]
    assert "--limit" in capsys.readouterr().err


def test_n24_a_notice_prints_nothing_whatever_it_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in PAYLOADS:
        program = registry.program(word)
        for name in program.notices:
            for session in ("s", 7, None):
                data = json.dumps({"hook_event_name": name, "session_id": session}).encode()
                assert hooked(word, data, monkeypatch, capsys) == (0, "", "")


def test_bad_payloads_are_told_in_one_line() -> None:
    with pytest.raises(BadPayload, match="larger than 8 MiB"):
        read_payload(registry.program("codex"), b"x" * ((8 << 20) + 1))


def test_n24_a_notice_holds_nothing_up_where_a_call_is_denied(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder is gone: a prompt of the user still goes on."""

    def gone() -> Any:
        raise PathsError("the folder is gone")

    for name, status in (("UserPromptSubmit", 0), ("PreToolUse", 2)):
        data = json.dumps({**CLAUDE["PreToolUse"], "hook_event_name": name}).encode()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        arguments: Any = SimpleNamespace(command="hook claude", limit=None)
        assert command.hook(arguments, gone) == status
        assert capsys.readouterr().out == ""
