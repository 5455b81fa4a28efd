"""The keys of the configuration (inquiries.md R68, surface.md S20): one tree that says what each may be.

The tree is data. Reading, merging, trust and variables all walk it, so a key is added here and nowhere else. Plain
nodes rather than model classes: building eighteen of those costs 14 ms at every start, this costs half of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.settings import checks
from jp_tui.settings.checks import BadValue, Check

Trust = Literal["display", "guarded"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that a higher layer replaces whole.

    What a workspace's file may do with it (S10): `display` always counts; `guarded` waits until the file is trusted,
    unless `tightens(old, new)` says that it only makes things stricter; `never(new)` does not count even then.
    """

    check: Check
    trust: Trust = "guarded"
    tightens: Callable[[Any, Any], bool] | None = None
    never: Callable[[Any], bool] | None = None
    merges: bool = False  # a free key whose tables merge like ours
    help: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A table merged key by key. `named` is what any other key holds; `shorthand` turns a non-table into one."""

    children: Mapping[str, Node] = field(default_factory=dict)
    named: Node | None = None
    shorthand: Check | None = None
    key_check: Check | None = None

    def child(self, key: str) -> Node | None:
        return self.children.get(key) or self.named


Node = Leaf | Group

_FREE = Leaf(checks.json_value, merges=True)


def _stricter(order: tuple[Any, ...]) -> Callable[[Any, Any], bool]:
    """Later in `order` is stricter; a value that is not in it never tightens."""

    def tightens(old: Any, new: Any) -> bool:
        return new in order and (old not in order or order.index(new) >= order.index(old))

    return tightens


def _alias(name: Any) -> str:
    if name == "inherit":
        raise BadValue("the name inherit is reserved (it means the main assistant's model)")
    return str(checks.matching(r"[A-Za-z0-9_.-]+", "a name of letters, digits, dots and dashes")(name))


def _header_name(name: Any) -> str:
    checks.matching(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "the name of a header")(name)
    if str(name).lower() in ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"):
        raise BadValue("a key never stands in a file; name the variable that holds it in api_key_env")
    return str(name)


_name = checks.matching(r"[A-Za-z0-9_-]{1,64}", "a name of letters, digits, _ and -, at most 64")


def _tool_name(name: Any) -> str:
    return "*" if name == "*" else str(_name(name))


PROVIDER = Group(
    {
        "wire": Leaf(checks.choice("openai-chat", "anthropic"), help="the protocol that the server speaks"),
        "base_url": Leaf(checks.base_url, help="where it is, up to what the wire appends"),
        "api_key_env": Leaf(checks.variable, help="the environment variable that holds the key"),
        "headers": Group(named=Leaf(checks.header), key_check=_header_name),
        "structured": Leaf(checks.choice("auto", "native", "tool"), help="how structured output is asked for"),
        "default_model": Leaf(checks.text, help="the model when only the provider is known"),
    }
)

QUESTION = Group(
    {
        "target": Leaf(checks.target, tightens=lambda old, new: new == "user", help="who answers"),
        "answer": Leaf(checks.json_value, never=lambda new: True, help="a fixed answer"),
        "prompt_label": Leaf(checks.text, "display", help="who the sheet says is asking; display only"),
        "exclusive": Leaf(
            checks.boolean,
            tightens=_stricter((None, False, True)),
            never=lambda new: new is False,
            help="only a person may answer",
        ),
    }
)

_DETACHED = checks.choice("auto", "defaults", "deny", "defer")
_DETACHED_LEAF = Leaf(_DETACHED, tightens=lambda old, new: new == "deny", help="what is done without a client")
_ASKING = ("unattended", "edit", "ask", "skip")  # from loose to strict

_RESULTS = {
    "inline_results": Leaf(checks.text_or_count("full", "off"), "display", help="lines of a result that are shown"),
    "results_file_link": Leaf(checks.choice("full", "osc8", "off"), "display"),
}
STYLE = Group(
    {
        "hidden": Leaf(checks.boolean, help="neither the call nor its result is shown"),
        "parameters": Leaf(
            checks.choice("json", "function_call", "off"), tightens=lambda old, new: new != "off", help="of a call"
        ),
        "error": Group(_RESULTS),
        **_RESULTS,
    }
)

TOOL = Group(
    {
        "source": Leaf(checks.source, help="where the tool comes from"),
        "enable": Group(
            {
                "state": Leaf(checks.boolean, tightens=_stricter((True, False)), help="offered to the model"),
                "allow_toggle": Leaf(
                    checks.choice("any", "never", "if_named", "if_named_or_group"), help="what -t and -T may do"
                ),
            },
            shorthand=checks.enable,
        ),
        "run": Leaf(checks.choice(*_ASKING), tightens=_stricter(_ASKING), help="ask before it runs"),
        "result": Leaf(checks.choice(*_ASKING), tightens=_stricter(_ASKING), help="ask before the model gets it"),
        "summary": Leaf(checks.text),
        "description": Leaf(checks.text),
        "examples": Leaf(checks.text),
        "parameters": Group(named=_FREE),
        "options": Group(named=_FREE),
        "cancellation_response": Leaf(checks.text),
        "style": STYLE,
        "questions": Group(named=QUESTION, key_check=_name),
        "detached": Group(
            {"run": _DETACHED_LEAF, "deliver": _DETACHED_LEAF, "tool": _DETACHED_LEAF},
            shorthand=lambda value: dict.fromkeys(("run", "deliver", "tool"), _DETACHED(value)),
        ),
    }
)

SCHEMA = Group(
    {
        "assistant": Group(
            {
                "model": Group(
                    {
                        "id": Leaf(checks.model_id, help="provider/model, or an alias"),
                        "parameters": Group(
                            {
                                "max_tokens": Leaf(checks.integer(1, 10_000_000), help="of one response"),
                                "temperature": Leaf(checks.number(0, 2)),
                            },
                            named=_FREE,
                        ),
                    }
                ),
                "system_prompt": Leaf(checks.text, help="what the model is told before the conversation"),
                "tool_choice": Leaf(checks.text, help="auto, none, required, or the name of a tool"),
                "request": Group(
                    {
                        "max_retries": Leaf(checks.integer(0, 100)),
                        "base_backoff_ms": Leaf(checks.integer(0, 600_000)),
                        "max_backoff_secs": Leaf(checks.integer(0, 3_600)),
                        "stream_idle_timeout_secs": Leaf(checks.integer(1, 86_400)),
                        "max_response_bytes": Leaf(checks.integer(1_024, 1 << 30)),
                    }
                ),
            }
        ),
        "providers": Group(
            {
                "llm": Group(
                    {"aliases": Group(named=Leaf(checks.full_model_id), key_check=_alias)},
                    named=PROVIDER,
                    key_check=_name,
                )
            }
        ),
        "conversation": Group({"tools": Group(named=TOOL, key_check=_tool_name)}),
        "inquiry": Group({"max_attempts": Leaf(checks.integer(1, 1_000), help="times one question may be asked")}),
        "interrupt": Group(
            {
                "streaming": Group({"action": Leaf(checks.choice("prompt", "continue", "stop", "abort", "reply"))}),
                "tool_call": Group({"action": Leaf(checks.choice("prompt", "continue", "restart", "respond", "stop"))}),
                "escalation_cooldown_secs": Leaf(checks.integer(0, 60)),
            }
        ),
        "style": Group(
            {
                "sanitize": Leaf(
                    checks.choice("strip", "visualize", "off"),
                    tightens=lambda old, new: new != "off",
                    never=lambda new: new == "off",
                    help="control characters in foreign text",
                )
            }
        ),
        "ui": Group(
            {
                "theme": Leaf(checks.text, "display", help="the name of a theme"),
                "sidebar": Leaf(checks.choice("auto", "show", "hide"), "display", help="the tool activity"),
            }
        ),
        "notify": Group({"bell": Leaf(checks.boolean, "display", help="ring when a question waits unseen")}),
    }
)


def node_at(path: tuple[str | int, ...]) -> Node | None:
    """The node of a key, or None where there is no such key. Inside a leaf the leaf itself."""
    node: Node | None = SCHEMA
    for part in path:
        if isinstance(node, Leaf):
            return node
        node = node.child(str(part)) if node else None
    return node


def dotted(path: tuple[str | int, ...]) -> str:
    """A path as one writes it in TOML."""
    said = ""
    for part in path:
        if isinstance(part, int):
            said += f"[{part}]"
            continue
        plain = part.replace("-", "_").isidentifier() or part.replace("-", "").isalnum()
        quoted = part if plain and part.isascii() else f"'{part}'"
        said += f".{quoted}" if said else quoted
    return said
