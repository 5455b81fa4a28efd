"""What models see of the built-in tools (R80, R157, R246; S40), from the data that ships."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from jp_tui.questions.item_rules import SHAPES
from jp_tui.tools.registry import builtin
from jp_tui.tools.spec import published

DATA = Path(__file__).parents[2] / "config" / "tools.toml"
TOOLS: dict[str, Any] = tomllib.loads(DATA.read_text("utf-8"))["conversation"]["tools"]


FROM_THE_SECOND_SENTENCE = (
    " Use only when the conversation does not provide the information you need and the user can reasonably be expected "
    "to answer. When in doubt, answer the user's original question directly; do not call `ask_user` for clarification "
    "you can derive from context or for confirmation of obvious next steps. Do not use `ask_user` to collect secrets "
    "(passwords, API keys, SSH passphrases): answers are returned to the model and persisted in the conversation "
    "stream."
)
"""M23."""


def test_ask_user_as_it_is_registered() -> None:
    """R157, to the letter; the description of R246."""
    entry = TOOLS["ask_user"]
    assert entry["source"] == "builtin"
    assert entry["enable"] == {"state": True, "allow_toggle": "if_named"}
    assert (entry["run"], entry["result"]) == ("unattended", "unattended")
    assert entry["style"]["hidden"] is True
    assert entry["questions"] == {"answer": {"prompt_label": "Assistant"}}
    assert "summary" not in entry
    assert entry["description"] == (
        "Ask the user one or more typed questions (boolean, select, multi_select, text, or schema) and receive their "
        "answers. Send related questions in one call; use `when` for a question that only matters after a certain "
        "earlier answer." + FROM_THE_SECOND_SENTENCE
    )


def without_words(schema: Any) -> Any:
    """Descriptions may be worded differently (R246)."""
    if isinstance(schema, dict):
        return {key: without_words(one) for key, one in schema.items() if key != "description" or isinstance(one, dict)}
    return [without_words(one) for one in schema] if isinstance(schema, list) else schema


def test_the_list_schema() -> None:
    """R246, to the letter, with the option objects of R9; R162: it is what is published unless told otherwise."""
    text = {"type": "string"}
    option = {
        "type": "object", "additionalProperties": False, "required": ["value"],
        "properties": {"value": text, "description": text, "preview": text, "recommended": {"type": "boolean"}},
    }  # fmt: skip
    item = {
        "type": "object", "additionalProperties": False, "required": ["id", "text", "answer_type"],
        "properties": {
            "id": text,
            "text": text,
            "context": text,
            "answer_type": {"type": "string", "enum": ["boolean", "select", "multi_select", "text", "schema"]},
            "options": {"type": "array", "items": {"anyOf": [text, option]}},
            "schema": {"type": "object"},
            "default": {"type": ["boolean", "string", "array", "object", "number", "null"]},
            "when": {
                "type": "object", "additionalProperties": False, "required": ["question_id", "equals"],
                "properties": {
                    "question_id": text,
                    "equals": {"type": ["boolean", "string", "number", "array", "object", "null"]},
                },
            },
        },
    }  # fmt: skip
    spec = published("ask_user", TOOLS["ask_user"])
    assert spec.description == TOOLS["ask_user"]["description"]
    assert without_words(spec.parameters) == {
        "type": "object", "additionalProperties": False, "required": ["questions"],
        "properties": {"questions": {"type": "array", "minItems": 1, "items": item}},
    }  # fmt: skip
    found: Any = spec.parameters["properties"]
    assert list(found["questions"]["items"]["properties"]) == list(item["properties"])
    chosen = {**TOOLS["ask_user"], "options": {**TOOLS["ask_user"]["options"], "shape": "list"}}
    assert published("ask_user", chosen) == spec


def test_what_is_published_is_what_the_rules_know() -> None:
    """R164: every key and type of the schema passes the rules, and no other key does (V16)."""
    found: Any = published("ask_user", TOOLS["ask_user"]).parameters["properties"]
    item = found["questions"]["items"]["properties"]
    assert set(item) == SHAPES["list"].keys
    assert tuple(item["answer_type"]["enum"]) == SHAPES["list"].kinds
    flat: Any = published("ask_user", FLAT).parameters["properties"]
    assert set(flat) == SHAPES["flat"].keys
    assert tuple(flat["answer_type"]["enum"]) == SHAPES["flat"].kinds


FLAT = {**TOOLS["ask_user"], "options": {**TOOLS["ask_user"].get("options", {}), "shape": "flat"}}


def test_the_flat_schema() -> None:
    """R162, R246 (its last paragraph), M23: published instead with `options.shape = "flat"`."""
    spec = published("ask_user", FLAT)
    assert spec.description == (
        "Ask the user a typed question (boolean, select, or text) and receive their answer." + FROM_THE_SECOND_SENTENCE
    )
    properties: Any = spec.parameters["properties"]
    assert (spec.parameters["type"], spec.parameters["additionalProperties"]) == ("object", False)
    assert spec.parameters["required"] == ["question"]
    assert list(properties) == ["question", "context", "answer_type", "options", "default"]
    assert properties["question"]["type"] == "string"
    assert properties["answer_type"]["enum"] == ["boolean", "select", "text"]
    assert properties["answer_type"]["default"] == "text"
    assert properties["options"]["items"] == {"type": "string"}
    assert properties["default"]["type"] == ["boolean", "string"]


def test_names_and_arguments() -> None:
    """S40, to the letter; every tool in the data has code and the other way round."""
    wanted = {
        "ask_user": ("questions",),
        "describe_tools": ("tools",),
        "read_history": ("call_id?", "record?", "search?", "offset?"),
        "fs_list_files": ("path?", "extensions?"),
        "fs_read_file": ("path", "start_line?", "end_line?"),
        "fs_grep_files": ("pattern", "paths?", "context?"),
        "fs_create_file": ("path", "content?"),
        "fs_modify_file": ("path?", "patterns", "replace_all?", "case_sensitive?"),
        "fs_move_file": ("source", "target"),
        "fs_delete_file": ("path",),
        "skill": ("name", "file?"),
        "update_plan": ("plan", "explanation?"),
        "submit_plan": ("plan", "steps"),
        "spawn_agent": ("task", "name?", "model?", "tools?"),
        "shell_run": ("argv?", "command?", "cwd?", "timeout_secs?"),
    }
    found = {}
    for name, entry in TOOLS.items():
        if name == "*":
            continue
        schema: Any = published(name, entry).parameters
        needed = schema.get("required", [])
        found[name] = tuple(key if key in needed else f"{key}?" for key in schema["properties"])
    assert found == wanted
    assert set(builtin()) == set(wanted)


def test_every_built_in_runs_unattended_and_others_ask() -> None:
    """S40: their own question shows the content; R68: the built-in layer ships `ask` for the rest. A command has no
    such question where somebody gave leave, so leave is asked (issue 8, 9)."""
    assert TOOLS["*"]["run"] == "ask"
    assert {name for name, entry in TOOLS.items() if entry["run"] != "unattended"} == {"*", "shell_run"}


def test_the_target_of_apply_changes_is_left_open() -> None:
    """R72."""
    for name, entry in TOOLS.items():
        assert "target" not in entry.get("questions", {}).get("apply_changes", {}), name


def test_patterns_are_closed_objects() -> None:
    """S40: `patterns: [{old, new, paths?, regex?}]`."""
    schema: Any = published("fs_modify_file", TOOLS["fs_modify_file"]).parameters
    item = schema["properties"]["patterns"]["items"]
    assert (item["type"], item["additionalProperties"], item["required"]) == ("object", False, ["old", "new"])
    assert list(item["properties"]) == ["old", "new", "paths", "regex"]
    assert item["properties"]["paths"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "The files for this pattern. Default: `path`.",
    }


def test_another_shape_is_chosen_by_data() -> None:
    """R162: `options.shape` picks a form that stands beside the first; one that is not there changes nothing."""
    other = {"description": "other", "parameters": {"question": {"type": "string", "required": True}}}
    entry: Any = {
        "description": "first",
        "parameters": {"a": {"type": "object"}},
        "options": {"shapes": {"flat": other}},
    }
    assert published("t", entry).description == "first"
    assert published("t", entry).parameters["properties"] == {"a": {"type": "object"}}
    entry["options"]["shape"] = "flat"
    spec = published("t", entry)
    assert (spec.description, spec.parameters["required"]) == ("other", ["question"])
    entry["options"]["shape"] = "unheard"
    assert published("t", entry).description == "first"


def test_a_summary_stands_for_the_description() -> None:
    """R80."""
    assert published("t", {"summary": "short", "description": "long"}).description == "short"
    assert published("t", {}).parameters == {"type": "object", "additionalProperties": False, "properties": {}}
