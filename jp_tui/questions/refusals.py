"""Error text for a model whose questions break rules (inquiries.md M25, M25b). The rules find the problems."""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.bounds import short
from jp_tui.questions.items import ItemProblem, RefusedForm

_TOLD = 40  # problems reported individually; the rest is counted
_POINTER = 300  # characters of a place that are reported; a model's own key may be huge


def words(refused: RefusedForm, tool: str = "ask_user") -> str:
    """Return the error for the used shape: M25 for a list, M25b for the others."""
    told = structured if refused.shape == "list" else sentences
    return told(refused.problems, tool)


def sentences(problems: tuple[ItemProblem, ...], tool: str = "ask_user") -> str:
    """Return the plain text of M25b, one sentence per line."""
    lines = [f"{tool}: {problem.message}" for problem in problems[:_TOLD]]
    if len(problems) > _TOLD:
        lines.append(f"{tool}: {len(problems) - _TOLD} more problems of this kind were found.")
    return "\n".join(lines)


def structured(problems: tuple[ItemProblem, ...], tool: str = "ask_user", where: str = "submitted questions") -> str:
    """Return the JSON text of M25: keys, `error` and codes are fixed. `where` continues "in the"."""
    listed: list[Json] = [
        {"path": one.path if len(one.path) <= _POINTER else short(one.path), "code": one.code, "message": one.message}
        for one in problems[:_TOLD]
    ]
    some = f" (the first {_TOLD} are listed)" if len(problems) > _TOLD else ""
    body: JsonObject = {
        "error": "invalid_arguments",
        "message": f"{len(problems)} problem(s) in the {where}{some}; fix them and call {tool} again.",
        "problems": listed,
    }
    return dump(body)
