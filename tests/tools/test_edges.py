"""What the mutation sampler found untested in the tools (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.system.children import ChildExit
from jp_tui.tools.describe_tools import _DEPTH, _parameters
from jp_tui.tools.local import templates
from jp_tui.tools.local.spec import LocalSpec
from jp_tui.tools.local.templates import BadTemplate
from jp_tui.tools.shell.line import Unsafe, check
from jp_tui.tools.shell.output import result_text
from tests.tools.running import failure, once


@pytest.mark.parametrize("piece", ["'", '"', "`", "#", "<<E\n", "\\", "$"])
def test_r83_what_opens_at_the_very_beginning_is_seen(piece: str) -> None:
    """A value that stands behind it is refused, where the template begins so as well."""
    with pytest.raises(Unsafe):
        check([piece, "'value'", ""])
    assert check(["x ", "'value'", " y"]) == "x 'value' y"


@pytest.mark.parametrize("spec", [None, ModuleSpec("jinja2", None)], ids=["not there", "without a file"])
async def test_a_library_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: ModuleSpec | None
) -> None:
    monkeypatch.setattr(templates, "find_spec", lambda name: spec)
    with pytest.raises(BadTemplate, match="jinja2 is not installed"):
        templates._libraries()
    found = failure(await once(LocalSpec("t", "echo", ("{{ tool.name }}",)), tmp_path))
    assert "jinja2 is not installed" in str(found["stderr"])


@pytest.mark.parametrize("template", ["{{ tool.nothing | tojson }}", "{{ tool.nothing }}", "{{ tool.nothing.at_all }}"])
async def test_r83_what_a_template_names_and_nobody_gave_is_an_error(tmp_path: Path, template: str) -> None:
    """Also in a filter: the words name what is missing, and nothing runs."""
    found = failure(await once(LocalSpec("t", "echo", (template,)), tmp_path))
    assert "nothing" in str(found["stderr"]) and found["stdout"] == ""


def test_parameters_within_parameters_are_described_so_deep() -> None:
    """And no deeper: a schema of a tool may have no end."""
    rule: dict[str, object] = {"type": "string"}
    for number in range(_DEPTH + 3):
        rule = {"type": "object", "properties": {f"p{number}": rule}}
    lines = list(_parameters({"top": rule}, 1))
    assert len(lines) == _DEPTH and len({len(line) - len(line.lstrip()) for line in lines}) == _DEPTH


def finished(**more: object) -> ChildExit:
    known: dict[str, object] = {
        "status": 0,
        "signal": None,
        "stdout": b"out\n",
        "stderr": b"",
        "dropped": 0,
        "timed_out": False,
        "cancelled": False,
        "flooded": False,
        "ms": 1,
    }
    return ChildExit(**{**known, **more})  # type: ignore[arg-type]


def test_what_a_sandbox_says_of_itself_is_told() -> None:
    """The command's own stderr is part of its output; what stands beside it is the sandbox's."""
    said = result_text(finished(stderr=b"bwrap: No such file\n"), 5, str, walled=True)
    assert isinstance(said, Success) and said.content.endswith("\n\nThe sandbox said: bwrap: No such file")
    assert "sandbox" not in str(result_text(finished(stderr=b"noise"), 5, str))
    assert "sandbox said" not in str(result_text(finished(), 5, str, walled=True))
