"""The command line of surface.md: what is asked for, in which order, and words for what cannot be."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from jp_tui import __version__
from jp_tui.settings.cli.arguments import CommandLine, Show, parse
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import UsageError


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ([], {}),
        (["hello there"], {"prompt": "hello there"}),
        (["-c", "go on"], {"continue_last": True, "prompt": "go on"}),
        (["--resume", "ab1"], {"resume": "ab1"}),
        (["query", "-c"], {"command": "query", "continue_last": True}),
        (["query", "-r", "ab1"], {"command": "query", "resume": "ab1"}),
        (["query", "--json", "x"], {"command": "query", "json": True, "prompt": "x"}),
        (["query", "x", "--non-interactive"], {"command": "query", "non_interactive": True, "prompt": "x"}),
        (["--theme", "jp-day", "query", "-"], {"command": "query", "theme": "jp-day", "prompt": "-"}),
        (["--theme", "query"], {"theme": "query"}),
        (["--", "query"], {"prompt": "query"}),
        (["--", "--json"], {"prompt": "--json"}),
        (["query", "--", "-x"], {"command": "query", "prompt": "-x"}),
        (["conversations", "list", "--json"], {"command": "conversations list", "json": True}),
        (["conversations", "show", "ab"], {"command": "conversations show", "conversation": "ab"}),
        (["--workspace", "d", "conversations", "list"], {"command": "conversations list", "workspace": "d"}),
        (["--cfg", "a=b", "--cfg=c=d"], {"cfg": ("a=b", "c=d")}),
        (["--tool-use"], {"tool_use": True}),
        (["--tool-use", "ask_user"], {"tool_use": "ask_user"}),
        (["--no-tool-use"], {"tool_use": False}),
        (["--plain", "hi"], {"plain": True, "prompt": "hi"}),
        (["query", "--plain", "x"], {"command": "query", "plain": True, "prompt": "x"}),
        (["tools", "-T", "--json"], {"command": "tools", "toggles": (Toggle(False),), "json": True}),
        (["inquiries"], {"command": "inquiries"}),
        (["inquiries", "ab", "--pending"], {"command": "inquiries", "conversation": "ab", "pending": True}),
        (["answer", "a.b.1", "yes", "--json"], {"command": "answer", "inquiry": "a.b.1", "value": "yes", "json": True}),
        (["answer", "a.b.1", "--", "-x y"], {"command": "answer", "inquiry": "a.b.1", "value": "-x y"}),
        (["answer", "--", "a.b.1", "--json"], {"command": "answer", "inquiry": "a.b.1", "value": "--json"}),
        (["answer", "a.b.1", "-5"], {"command": "answer", "inquiry": "a.b.1", "value": "-5"}),
        (["answer", "a.b.1", ""], {"command": "answer", "inquiry": "a.b.1", "value": ""}),
        (["answer", "a.b.1", "[1, -2]"], {"command": "answer", "inquiry": "a.b.1", "value": "[1, -2]"}),
        (["config", "show"], {"command": "config show"}),
        (["config", "show", "ui", "--cfg", "a=b"], {"command": "config show", "key": "ui", "cfg": ("a=b",)}),
        (["config", "set", "a.b", "--", "-1"], {"command": "config set", "key": "a.b", "value": "-1"}),
        (["--workspace", "d", "config", "check"], {"command": "config check", "workspace": "d"}),
        (["config", "trust", "--yes"], {"command": "config trust", "yes": True}),
        (["config", "trust", "--revoke"], {"command": "config trust", "revoke": True}),
        (["config", "path", "--json"], {"command": "config path", "json": True}),
    ],
)
def test_what_is_asked_for(line: list[str], expected: dict[str, Any]) -> None:
    assert parse(line) == CommandLine(**expected)


@pytest.mark.parametrize(
    ("line", "toggles", "prompt"),
    [
        (["-T", "-t", "a", "-t", "--", "go"], (Toggle(False), Toggle(True, "a"), Toggle(True)), "go"),
        (["-t", "a", "go"], (Toggle(True, "a"),), "go"),
        (["-t", "query"], (Toggle(True, "query"),), None),
        (["--no-tool", "a", "--tool=b", "-Tc"], (Toggle(False, "a"), Toggle(True, "b"), Toggle(False, "c")), None),
        (["-T", "-T", "ask_user"], (Toggle(False), Toggle(False, "ask_user")), None),
    ],
)
def test_s7_r73_toggles_keep_their_order(line: list[str], toggles: tuple[Toggle, ...], prompt: str | None) -> None:
    assert parse(line) == CommandLine(toggles=toggles, prompt=prompt)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["--modl", "x"], "unknown option --modl. Did you mean --model?"),
        (["--jsn", "query", "x"], "unknown option --jsn. Did you mean --json?"),
        (["tools", "--plain"], "unknown option --plain"),
        (["-z"], "unknown option -z"),
        (["--model"], "argument --model: expected one argument"),
        (["-c", "-r", "x"], "not allowed with argument"),
        (["qeury"], "unknown command qeury"),
        (["frobnicate"], "unknown command frobnicate"),
        (["conversatoins", "list"], "unknown command conversatoins"),
        (["qeury", "x"], "to send it as a prompt: jp-tui -- qeury. Did you mean query?"),
        (["what", "is", "this"], "one prompt, in quotes; is is an extra word"),
        (["conversation", "list"], "Did you mean conversations?"),
        (
            ["conversations"],
            "conversations needs list, show, search, fork, compact, export, import, rename, archive or rm",
        ),
        (["conversations", "lst"], "rename, archive and rm. Did you mean list?"),
        (["conversations", "show"], "required: ID"),
        (["conversations", "show", "a", "b"], "extra word: b"),
        (["query"], "query needs a prompt"),
        (["config"], "config needs show, set, check, trust or path"),
        (["config", "shwo"], "config has no shwo, only show, set, check, trust and path. Did you mean show?"),
        (["config", "set", "ui.theme"], "required: VALUE"),
        (["answer", "a.b.1"], "required: VALUE"),
        (["answer", "a.b.1", "-x"], "unknown option -x; put a word that starts with - after --"),
        (["inquiries", "--pendign"], "unknown option --pendign. Did you mean --pending?"),
        (["tools", "extra"], "extra word: extra"),
        (["config", "check", "--yes"], "unknown option --yes"),
        (["answr", "a", "b"], "Did you mean answer?"),
        (["--theme"], "argument --theme: expected one argument"),
        (["a\udcff"], r"an argument is not UTF-8: a\udcff"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(line: list[str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(line)
    assert said in str(caught.value) and str(caught.value).isprintable()


def test_words_of_a_terminal_in_an_argument_come_out_printable() -> None:
    with pytest.raises(UsageError) as caught:
        parse(["x", "\x1b]0;owned\x07"])
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "line", [["--help"], ["-h", "x"], ["query", "--help"], ["conversations", "--help"], ["conversations", "show", "-h"],
    ["conversations", "list", "--help"], ["inquiries", "--help"], ["answer", "-h"], ["tools", "--help"], ["rpc", "-h"],
    ["models", "--help"], ["ask", "--help"], ["doctor", "--help"], ["completions", "--help"], ["reviewers", "--help"],
    ["config", "--help"], *(["config", word, "--help"] for word in ("show", "set", "check", "trust", "path"))],
)  # fmt: skip
def test_each_command_has_help_with_examples_that_parse(line: list[str]) -> None:
    import shlex

    shown = parse(line)
    assert isinstance(shown, Show)
    examples = shown.text.partition("examples:")[2].partition("exit status")[0].strip().splitlines()
    assert examples
    for example in examples:
        command = example.strip().partition("   ")[0].rpartition("| ")[2]
        words = shlex.split(command)
        assert words[0] == "jp-tui"
        assert isinstance(parse(words[1:]), CommandLine), example


def test_version() -> None:
    assert parse(["--version"]) == Show(f"jp-tui {__version__}\n")
    with pytest.raises(UsageError):
        parse(["query", "--version"])


def test_flags_are_the_highest_layer() -> None:
    parsed = parse(["--model", "a/b", "--theme", "t", "--no-tool-use"])
    assert isinstance(parsed, CommandLine)
    assert parsed.flags() == {
        "--model": (("assistant", "model", "id"), "a/b"),
        "--theme": (("ui", "theme"), "t"),
        "--no-tool-use": (("assistant", "tool_choice"), "none"),
    }


def test_t23_no_arguments_need_no_argparse() -> None:
    code = "import sys; from jp_tui.settings.cli.arguments import parse; parse([]); sys.exit('argparse' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
