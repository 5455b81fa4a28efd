"""Keys of a tool and of its questions (inquiries.md R68), and of all tools under `'*'` (R66).

A key without meaning for all tools (a source, parameters, questions) isn't valid under `'*'`, where it would have no
effect.
"""

from __future__ import annotations

from typing import Any

from jp_tui.settings.schema import checks, shapes
from jp_tui.settings.schema.assistant import FREE, target
from jp_tui.settings.schema.checks import BadValue, describe_value, text
from jp_tui.settings.schema.mcp import SERVER
from jp_tui.settings.schema.mcp import TOOL as MCP_TOOL
from jp_tui.settings.schema.nodes import Group, Leaf, Node, stricter

MAX_ID = 200
_BLANK_GLYPHS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")


def question_id(value: Any) -> str:
    """Check for 1 to 200 visible characters without leading or trailing blanks. Raises BadValue."""
    id_ = text(value)
    if not 0 < len(id_) <= MAX_ID or id_ != id_.strip() or any(map(_unseen, id_)):
        raise BadValue(
            f"expected 1 to {MAX_ID} visible characters without blanks at an end, found {describe_value(id_)}"
        )
    return id_


def _unseen(char: str) -> bool:
    if char.isascii():
        return not char.isprintable()
    import unicodedata  # most ids are ASCII

    return (
        unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        or char in _BLANK_GLYPHS
        or "\ufe00" <= char <= "\ufe0f"
        or "\u180b" <= char <= "\u180f"
        or "\U000e0000" <= char <= "\U000e0fff"
    )


KINDS = ("run", "deliver", "tool")
"""Kinds of prompt with a policy (R144)."""
ALL_TOOLS = "*"

name = checks.matching(
    rf"[A-Za-z0-9_-]{{1,64}}|mcp\.{SERVER}\.({MCP_TOOL}|\*)|(?!mcp\.)[A-Za-z0-9_-]{{1,64}}\.([A-Za-z0-9_.+-]{{1,64}}|\*)",
    "a name of letters, digits, _ and -, at most 64; mcp.SERVER.TOOL or mcp.SERVER.* for an MCP server's, PROGRAM.TOOL "
    "or PROGRAM.* for another program's",
)


def tool_name(value: Any) -> str:
    return str(name(value))


to = checks.matching(
    r"(role:)?[^\s:*\x00-\x1f\x7f]([^:*\x00-\x1f\x7f]{0,61}[^\s:*\x00-\x1f\x7f])?",
    'the name of a person, like "lead", or of a group, like "role:ops"',
)
PEOPLE: dict[str, Node] = {
    "to": Leaf(to, acts=True, help="the person, or role:GROUP, who answers in a shared store; default: the owner"),
    "approvals": Leaf(
        checks.integer(1, 20),
        tightens=lambda old, new: isinstance(old, int) and new >= old,  # unset, it may inherit a higher number
        acts=True,
        help="how many people must say yes to a yes-or-no question; its owner never counts",
    ),
}
"""People who answer in a shared store (store.md D14, D15)."""

QUESTION = Group(
    {
        **PEOPLE,
        "target": Leaf(target, tightens=lambda old, new: new == "user", acts=True, help="who answers"),
        "answer": Leaf(checks.json_value, never=lambda new: True, help="a fixed answer"),
        "prompt_label": Leaf(checks.text, "display", help="name shown as the asker; display only"),
        "exclusive": Leaf(
            checks.boolean,
            tightens=stricter(None, False, True),
            never=lambda new: new is False,
            help="only the user may answer",
        ),
        "deadline_secs": Leaf(checks.integer(1, 31_536_000), help="time limit for the user's answer"),
    }
)

_DETACHED = checks.choice("auto", "defaults", "deny", "defer")


def _is_stricter_deferral(old: object, new: object) -> bool:
    """True if `new` stops what `old` allowed, or refuses what `old` only deferred."""
    return new == "deny" or (new == "defer" and old != "deny")


_DETACHED_LEAF = Leaf(_DETACHED, tightens=_is_stricter_deferral, acts=True, help="what to do when no user is available")
_ASKING = ("unattended", "edit", "ask", "skip")  # from loose to strict

_RESULTS = {
    "inline_results": Leaf(checks.text_or_count("full", "off"), "display", help="lines of a result to show"),
    "results_file_link": Leaf(checks.choice("full", "osc8", "off"), "display", help="how files are linked"),
}
STYLE = Group(
    {
        "hidden": Leaf(checks.boolean, help="hide the call and its result"),
        "parameters": Leaf(
            shapes.shown_parameters,
            tightens=lambda old, new: new in ("json", "function_call"),
            acts=True,
            help="how arguments are shown: json, function_call, off, or a command",
        ),
        "error": Group(_RESULTS),
        **_RESULTS,
    }
)

_WALLS = ("off", "auto", "required")  # from loose to strict
SANDBOX = Group(
    {
        "mode": Leaf(
            checks.choice(*_WALLS),
            tightens=stricter(*_WALLS),
            never=lambda new: new == "off",
            acts=True,
            help="sandbox for commands: if available, required, or off",
        ),
        "network": Leaf(
            checks.boolean,
            tightens=stricter(True, False),
            never=lambda new: new is True,
            acts=True,
            help="allow network access in the sandbox",
        ),
        "read_only": Leaf(
            shapes.paths,
            tightens=lambda old, new: set(old or ()) <= set(new),
            help="more workspace paths that are read-only in the sandbox",
        ),
        "visible": Leaf(
            shapes.places,
            tightens=lambda old, new: set(new) <= set(old or ()),
            acts=True,
            help="paths in your home (or other hidden folders) that the sandbox can read",
        ),
    },
    shorthand=lambda value: {"mode": checks.choice(*_WALLS)(value)},
)
_CONFIRMS = ("never", "auto", "always")  # from loose to strict
OPTIONS = Group(
    {
        "sandbox": SANDBOX,
        "confirm": Leaf(
            checks.choice(*_CONFIRMS),
            tightens=stricter(*_CONFIRMS),
            acts=True,
            help="confirm commands: always, never, or auto (without approval or sandbox)",
        ),
    },
    named=FREE,
)

_SHARED: dict[str, Node] = {
    **PEOPLE,
    "enable": Group(
        {
            "state": Leaf(checks.boolean, tightens=stricter(True, False), help="offer the tool to the model"),
            "allow_toggle": Leaf(
                checks.choice("any", "never", "if_named", "if_named_or_group"), help="how -t and -T may switch it"
            ),
        },
        shorthand=checks.enable,
    ),
    "run": Leaf(checks.choice(*_ASKING), tightens=stricter(*_ASKING), acts=True, help="ask before it runs"),
    "format": Leaf(
        checks.choice("unattended", "ask"),
        tightens=lambda old, new: new == "ask",
        acts=True,
        help="allow its own command to format arguments before you approve",
    ),
    "result": Leaf(
        checks.choice(*_ASKING), tightens=stricter(*_ASKING), acts=True, help="ask before the model gets it"
    ),
    "cancellation_response": Leaf(checks.text, help="message to the model when you reject a call"),
    "read_only": Leaf(
        checks.boolean,
        tightens=stricter(True, False),
        never=lambda new: new is True,
        help="whether the tool only reads, so that it works in plan mode",
    ),
    "idempotent": Leaf(
        checks.boolean,
        tightens=stricter(True, False),
        never=lambda new: new is True,
        help="whether it may run twice, so that an unfinished run is repeated without asking",
    ),
    "timeout_secs": Leaf(checks.integer(1, 86_400), help="seconds that a local tool may run"),
    "options": OPTIONS,
    "style": STYLE,
    "detached": Group(
        dict.fromkeys(KINDS, _DETACHED_LEAF),
        shorthand=lambda value: dict.fromkeys(KINDS, _DETACHED(value)),
        aliases={"result": "deliver"},  # C27
    ),
}

COVERS = Group(
    {
        "command": Leaf(checks.text, never=lambda new: True, help="the argument that is a command line"),
        "argv": Leaf(checks.text, never=lambda new: True, help="the argument that is a program with its words"),
        "cwd": Leaf(checks.text, never=lambda new: True, help="the argument that is the folder it runs in"),
        "path": Leaf(shapes.paths, never=lambda new: True, help="the arguments that are paths of files"),
        "host": Leaf(shapes.paths, never=lambda new: True, help="the arguments that are hosts or addresses"),
    }
)
"""Arguments that approval rules apply to (AR3)."""

TOOL = Group(
    {
        "covers": COVERS,
        "source": Leaf(checks.source, acts=True, help="where the tool comes from"),
        "command": Leaf(shapes.command, acts=True, help="the command of a local tool"),
        "access": Group({"fs": Leaf(shapes.path_rules, help="path rules sent to a local tool")}),
        "summary": Leaf(checks.text),
        "description": Leaf(checks.text),
        "examples": Leaf(checks.text),
        "parameters": Group(named=FREE),
        "questions": Group(named=QUESTION, key_check=question_id),
        **_SHARED,
    }
)

TOOLS = Group({ALL_TOOLS: Group(_SHARED)}, named=TOOL, key_check=tool_name)
