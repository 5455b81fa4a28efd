#!/usr/bin/env python3
"""A small MCP server that asks: `add_note` asks you what kind of note it is before it writes a line to NOTES.md.

It needs the official SDK (`pip install mcp`), talks on standard input and output, and knows nothing of jp-tui.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from mcp.server.mcpserver import Elicit, ElicitationResult, MCPServer, Resolve
from pydantic import BaseModel, Field

server = MCPServer("notes", version="1.0")
FILE = Path("NOTES.md")


class Details(BaseModel):
    """What the model can't know."""

    kind: Literal["idea", "bug", "decision"] = Field(title="Kind of note")
    private: bool = Field(default=False, title="Only for you")


def add(details: Details, text: str) -> None:
    """Write one line."""
    mark = " (private)" if details.private else ""
    with FILE.open("a", encoding="utf-8") as file:
        file.write(f"- {details.kind}{mark}: {text}\n")


def details(text: str) -> Elicit[Details]:
    """What the user is asked before `add_note` runs, in every revision of the protocol."""
    return Elicit(f"What kind of note is this?\n\n{text}", Details)


@server.tool()
def add_note(text: str, asked: Annotated[ElicitationResult[Details], Resolve(details)]) -> str:
    """Add a note to NOTES.md. The user says what kind it is."""
    if asked.action != "accept":
        return "The user didn't want this note."
    add(asked.data, text)
    return f"Added as {asked.data.kind}."


@server.tool()
def read_notes() -> str:
    """Read NOTES.md."""
    return FILE.read_text(encoding="utf-8") if FILE.exists() else "There are no notes."


if __name__ == "__main__":
    server.run("stdio")
