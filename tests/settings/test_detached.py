"""R144, C27: what is done without a client, by kind of prompt, over tools and layers."""

from __future__ import annotations

import pytest

from jp_tui.settings import toolset
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.toolset import DetachedSettings
from tests.settings.conftest import Home

ALL = "conversation.tools.'*'.detached"
OWN = "conversation.tools.fs_read_file.detached"


def detached(home: Home, user: str, cfg: list[str]) -> DetachedSettings:
    return toolset.tools(home.load(user, cfg=cfg))["fs_read_file"].detached


@pytest.mark.parametrize(
    ("user", "cfg", "run", "deliver", "tool"),
    [
        ("", [], "unset", "unset", "unset"),
        (f"{ALL} = 'defaults'", [], "defaults", "defaults", "defaults"),
        (f"{ALL} = {{ run = 'auto' }}", [], "auto", "unset", "unset"),
        # a tool's kind over its scalar, over the table of all tools, over their scalar
        (f"{ALL} = {{ run = 'auto', tool = 'defer' }}\n{OWN} = {{ run = 'deny' }}", [], "deny", "unset", "defer"),
        (f"{ALL} = {{ run = 'auto', tool = 'defer' }}\n{OWN} = 'deny'", [], "deny", "deny", "deny"),
        (f"{ALL} = 'auto'\n{OWN} = {{ deliver = 'deny' }}", [], "auto", "deny", "auto"),
        # the same in several layers
        (f"{OWN} = 'deny'", [f"{OWN}.run=auto"], "auto", "deny", "deny"),
        (f"{OWN} = {{ run = 'auto', tool = 'defer' }}", [f"{OWN}=deny"], "deny", "deny", "deny"),
        (f"{OWN} = 'deny'", [f"{ALL}=auto"], "deny", "deny", "deny"),
        (f"{OWN} = {{ run = 'deny' }}", [f"{ALL}=auto"], "deny", "auto", "auto"),
        (f"{ALL} = 'deny'", [f"{ALL}.tool=defaults"], "deny", "deny", "defaults"),
        (f"{ALL} = {{ tool = 'defer' }}", [f"{ALL}=auto", f"{OWN}.tool=deny"], "auto", "auto", "deny"),
        # C27: `result` is another name of `deliver`
        (f"{OWN} = {{ result = 'auto' }}", [], "unset", "auto", "unset"),
        (f"{OWN} = {{ deliver = 'auto' }}", [f"{OWN}.result=deny"], "unset", "deny", "unset"),
    ],
)
def test_r144_the_cascade(home: Home, user: str, cfg: list[str], run: str, deliver: str, tool: str) -> None:
    found = detached(home, user, cfg)
    assert (found.run, found.deliver, found.tool) == (run, deliver, tool)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("'maybe'", "(allowed: auto, defaults, deny, defer)"),
        ("{ run = 'maybe' }", "detached.run: found"),
        ("{ runn = 'deny' }", "Did you mean conversation.tools.fs_read_file.detached.run?"),
        (
            "{ deliver = 'deny', result = 'deny' }",
            "detached.result: is another name of deliver, which is set beside it",
        ),
    ],
)
def test_r71_other_values_are_errors(home: Home, written: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        home.load(f"{OWN} = {written}")
    assert said in str(caught.value) and str(caught.value).startswith(f"{home.user}:1:")
