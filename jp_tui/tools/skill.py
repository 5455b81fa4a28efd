"""`skill`: the text of a skill, or one of its files (context.md K51, surface.md S40). Reads only, and asks nothing."""

from __future__ import annotations

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.port import Outcome, ToolCall

MOST = 64_000
"""Characters of a file that are sent."""


class SkillTool:
    """The tool; see `jp_tui.tools.port.Tool`."""

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the skill's name and the file."""
        said = (arguments.get("name"), arguments.get("file"))
        return " ".join(part for part in said if isinstance(part, str))[:200]

    async def run(self, call: ToolCall) -> Outcome:
        arguments = CallArguments("skill", call.arguments, frozenset({"name", "file"}))
        name, file = arguments.text("name", required=True), arguments.text("file")
        try:
            arguments.check()
        except ToolRefusal as problem:
            return Failure(str(problem))
        if call.skills is None:
            return Failure("There are no skills here.")
        try:
            text = call.skills.file(name, file) if file else call.skills.skill(name)
        except ValueError as problem:
            return Failure(str(problem))
        if len(text) > MOST:
            return Success(f"{text[:MOST]}\n[cut: {MOST:,} of {len(text):,} characters; read the file for the rest]")
        return Success(text)
