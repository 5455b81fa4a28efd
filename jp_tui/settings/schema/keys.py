"""Keys of the configuration (inquiries.md R68, surface.md S20): one tree of allowed values.

Reading, merging, trust and variables all walk it, so a new key needs only a line here (a tool's in `tools.py`, an
assistant's in `assistant.py`).
"""

from __future__ import annotations

from typing import Any

from jp_tui.settings.schema import checks, shapes
from jp_tui.settings.schema.assistant import ASSISTANT, target
from jp_tui.settings.schema.checks import BadValue
from jp_tui.settings.schema.context import CONTEXT
from jp_tui.settings.schema.mcp import MCP
from jp_tui.settings.schema.nodes import Group as Group
from jp_tui.settings.schema.nodes import Leaf as Leaf
from jp_tui.settings.schema.nodes import Node as Node
from jp_tui.settings.schema.nodes import dotted as dotted
from jp_tui.settings.schema.nodes import stricter
from jp_tui.settings.schema.notify import NOTIFY
from jp_tui.settings.schema.schedule import SCHEDULE
from jp_tui.settings.schema.store import SERVE, STORE
from jp_tui.settings.schema.tools import PEOPLE, TOOLS, name
from jp_tui.settings.schema.undo import UNDO
from jp_tui.settings.wires import AUTHS, SERVER_WIRES


def _alias(value: Any) -> str:
    if value == "inherit":  # R70
        raise BadValue("the name inherit is reserved (it means the main assistant's model)")
    return str(checks.matching(r"[A-Za-z0-9_.-]+", "a name of letters, digits, dots and dashes")(value))


def _header_name(value: Any) -> str:
    checks.matching(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "the name of a header")(value)
    if str(value).lower() in ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"):
        raise BadValue("don't put a key in a file; name its variable in api_key_env")
    return str(value)


def _parameter(value: Any) -> str:
    if str(value).lower() in ("key", "api_key", "api-key", "access_token", "token"):
        raise BadValue("an address can't have a key. Set api_key_env to the variable that has it")
    return str(checks.matching(r"[A-Za-z0-9_.$-]+", "the name of a query parameter")(value))


def _from_folder(_: Any) -> bool:
    """These are the user's own: no folder's file sets them, trusted or not (W3)."""
    return True


def _agent_name(value: Any) -> str:
    return str(checks.matching(r"[a-z0-9][a-z0-9-]{0,31}", "a name: lower-case letters, digits and -")(value))


MODES = ("ask", "edits", "unattended")
"""From strict to loose (AR30)."""
PREFIX = "JP_TUI_"
"""Prefix of environment variables that set a key."""
NO_VARIABLE = ("providers", "mcp")
"""Keys that no variable sets (S11)."""
PROVIDER = Group(
    {
        "wire": Leaf(checks.choice(*SERVER_WIRES), acts=True, help="the API protocol of the server"),
        "base_url": Leaf(checks.base_url, acts=True, help="the base URL; the wire appends its path"),
        "api_key_env": Leaf(checks.variable, acts=True, help="the environment variable with the key"),
        "headers": Group(named=Leaf(checks.header, acts=True), key_check=_header_name),
        "auth": Leaf(checks.choice(*AUTHS), acts=True, help="the header that carries the key"),
        "query": Group(named=Leaf(checks.header, acts=True), key_check=_parameter),
        "ca_file": Leaf(checks.text, never=_from_folder, acts=True, help="certificate authorities to accept as well"),
        "proxy": Leaf(checks.proxy, never=_from_folder, acts=True, help="the proxy for this server, empty for none"),
        "api_key_command": Leaf(
            checks.command, never=_from_folder, acts=True, help="a command that prints the key, as a list of words"
        ),
        "api_key_secs": Leaf(checks.integer(0, 86_400), never=_from_folder, help="seconds that a printed key is kept"),
        "structured": Leaf(checks.choice("auto", "native", "tool"), help="how structured output is requested"),
        "default_model": Leaf(checks.text, acts=True, help="the model when only the provider is known"),
    }
)

INQUIRY = Group(
    {
        **PEOPLE,
        "assistant": ASSISTANT,
        "retry_with_intent": Leaf(
            checks.boolean, help="ask a reviewer again after a rejection, with the assistant's intent"
        ),
        "list_tools": Leaf(shapes.auto_or_boolean, help="send tool definitions to the reviewer"),
        "on_failure": Leaf(
            checks.choice("ask", "fail"),
            tightens=lambda old, new: new == "ask",
            help="when a reviewer can't decide: ask you, or fail the call",
        ),
    }
)

AGENTS = Group(
    named=Group(
        {
            "command": Leaf(checks.command, acts=True, help="the program, as a list of words"),
            "env": Group(named=Leaf(checks.text, acts=True), key_check=checks.variable),
            "mode": Leaf(checks.text, acts=True, help="the mode its sessions begin in, by its own name"),
            "model": Leaf(checks.text, acts=True, help="the model its sessions begin with, by its own name"),
        }
    ),
    key_check=_agent_name,
)

SCHEMA = Group(
    {
        "agents": AGENTS,
        "assistant": ASSISTANT,
        "providers": Group(
            {
                "llm": Group(
                    {"aliases": Group(named=Leaf(checks.full_model_id, acts=True), key_check=_alias)},
                    named=PROVIDER,
                    key_check=name,
                ),
                "mcp": MCP,
            }
        ),
        "conversation": Group(
            {
                "tools": TOOLS,
                "inquiry": INQUIRY,
                "mode": Leaf(
                    checks.choice(*MODES),
                    "stricter",
                    tightens=lambda old, new: new == "ask",
                    never=lambda new: new != "ask",
                    acts=True,
                    help="what runs without asking: nothing more, file changes, or commands in the sandbox too",
                ),
                "approval": Group(
                    {
                        "target": Leaf(
                            target,
                            tightens=lambda old, new: new == "user",
                            acts=True,
                            help="who decides first about calls that rules leave open; after a no, you do",
                        )
                    }
                ),
                "titles": Leaf(
                    checks.choice("model", "first_line"),
                    tightens=stricter("model", "first_line"),
                    help="title of a conversation: from the model, or its first line",
                ),
            }
        ),
        "inquiry": Group(
            {
                "max_attempts": Leaf(
                    checks.integer(1, 1_000),
                    tightens=lambda old, new: isinstance(old, int) and new <= old,
                    help="how often one question may be asked",
                )
            }
        ),
        "interrupt": Group(
            {
                "streaming": Group(
                    {
                        "action": Leaf(
                            checks.choice("prompt", "continue", "stop", "abort", "reply"),
                            help="what Esc does while the model is writing; prompt: ask",
                        )
                    }
                ),
                "tool_call": Group(
                    {
                        "action": Leaf(
                            checks.choice("prompt", "continue", "restart", "respond", "stop"),
                            help="what Esc does while tools are running; prompt: ask",
                        )
                    }
                ),
                "escalation_cooldown_secs": Leaf(
                    checks.integer(0, 60), help="seconds for a second Ctrl+C to end the turn or quit"
                ),
            }
        ),
        "style": Group(
            {
                "sanitize": Leaf(
                    checks.choice("strip", "visualize", "off"),
                    # strip hides what visualize shows, so only the user may loosen it
                    tightens=lambda old, new: new == "visualize" or (new == "strip" and old == "off"),
                    loosens=lambda old, new: new == "off",
                    never=lambda new: new == "off",
                    help="how control characters in untrusted text are shown",
                )
            }
        ),
        "ui": Group(
            {
                "theme": Leaf(checks.text, "display", help="the name of a theme"),
                "sidebar": Leaf(
                    checks.choice("auto", "show", "hide"), "display", help="show the sidebar with tool activity"
                ),
                "review": Leaf(
                    checks.boolean,
                    tightens=stricter(False, True),
                    help="review the answers of a form before submitting",
                ),
                "keys": Leaf(checks.choice("usual", "vi"), "display", help="the keys of the field where you write"),
                "ascii": Leaf(
                    checks.choice("auto", "always", "never"), "display", help="draw borders, marks and arrows in ASCII"
                ),
            }
        ),
        "notify": NOTIFY,
        "undo": UNDO,
        "outside": Group(
            {
                "arrive": Leaf(
                    checks.choice("peek", "sheet", "inbox"),
                    help="a question of another program: one line, an open sheet, or only the inbox",
                ),
                "show": Leaf(
                    checks.choice("all", "folder"),
                    help="questions of other programs: all, or only those from this folder",
                ),
            }
        ),
        "hooks": Group(
            {
                "fallback": Leaf(
                    checks.choice("program", "deny"),
                    tightens=stricter("program", "deny"),
                    help="after a hook's time limit: the program's own prompt, or no",
                )
            }
        ),
        "store": STORE,
        "serve": SERVE,
        "schedule": SCHEDULE,
        "context": CONTEXT,
    }
)

CHANGEABLE = Group({key: SCHEMA.children[key] for key in ("assistant", "conversation")})
"""Keys that a conversation can change for itself (R67)."""


def node_at(path: tuple[str | int, ...]) -> Node | None:
    """Return the node of a key, or None for an unknown key. Inside a leaf, return the leaf."""
    node: Node | None = SCHEMA
    for part in path:
        if isinstance(node, Leaf):
            return node
        node = node.child(str(part)) if node else None
    return node
