"""An alias of a built-in tool is found by its source and is a tool of its own (Z2, R63)."""

from __future__ import annotations

from jp_tui.settings import toolset
from tests.settings.conftest import Home
from tests.settings.test_assembly import setups

ALIAS = """
[conversation.tools.look]
source = "builtin.fs_read_file"
run = "unattended"
[conversation.tools.fs_read_file]
run = "skip"
summary = "changed for the original only"
"""


def test_an_alias_has_the_definition_and_settings_of_its_own(home: Home) -> None:
    """Z2: described and called as the built-in, whatever was changed about that one; it runs as it says itself."""
    tools = setups(home, ALIAS)
    look, read = tools["look"], tools["fs_read_file"]
    assert look.tool is not None and look.kind == "built-in"
    assert look.spec.parameters == read.spec.parameters and look.spec.parameters["properties"]
    assert look.spec.description == setups(home)["fs_read_file"].spec.description != read.spec.description
    assert (look.run, read.run) == ("unattended", "skip")


def test_how_an_alias_runs_is_not_inherited(home: Home) -> None:
    """A tool that nobody said anything about asks (R68)."""
    look = setups(home, "conversation.tools.look.source = 'builtin.fs_read_file'")["look"]
    assert look.run == "ask" and not look.hidden


def test_its_own_values_win(home: Home) -> None:
    mine = 'conversation.tools.look = { source = "builtin.fs_read_file", summary = "Mine." }'
    assert setups(home, mine)["look"].spec.description == "Mine."


def test_an_alias_of_ask_user_takes_the_published_shape(home: Home) -> None:
    """R162: the shapes are data of the definition."""
    settings = 'conversation.tools.question = { source = "builtin.ask_user", options = { shape = "flat" } }'
    tools = setups(home, settings)
    assert "question" in tools["question"].spec.parameters["properties"]
    assert "questions" in tools["ask_user"].spec.parameters["properties"]


def test_a_source_that_names_no_built_in(home: Home) -> None:
    """R63: it is listed, and a call is answered with an error."""
    found = setups(home, "conversation.tools.look.source = 'builtin.nothing'")["look"]
    assert found.tool is None
    assert toolset.tools(home.load("conversation.tools.x.source = 'builtin'"))["x"].executor == "x"
