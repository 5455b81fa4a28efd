"""A server written with the SDK, for tests: it echoes, asks, counts, waits and misbehaves on request."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Annotated, Any

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

server = MCPServer("asking", version="1.2.3", instructions="Be kind to it.")


class Person(BaseModel):
    name: str = Field(title="Your name")
    age: int = Field(default=30, ge=0, le=150)


class Login(BaseModel):
    password: str


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


@server.tool()
async def greet(ctx: Context[Any, Any]) -> str:
    """Ask who you are, and greet you."""
    found = await ctx.elicit("Who are you?\nIt is kept nowhere.", Person)
    return f"Hello {found.data.name}, {found.data.age}" if found.action == "accept" else f"You said {found.action}"


async def who() -> Elicit[Person]:
    """What the tool below needs first; either revision asks for it in its own way."""
    return Elicit("Who are you?\nIt is kept nowhere.", Person)


@server.tool()
async def meet(person: Annotated[ElicitationResult[Person], Resolve(who)]) -> str:
    """Ask who you are, in both revisions."""
    return f"Hello {person.data.name}" if person.action == "accept" else f"You said {person.action}"


@server.tool()
async def login(ctx: Context[Any, Any]) -> str:
    """Ask for a password."""
    return (await ctx.elicit("Log in", Login)).action


@server.tool()
async def visit(ctx: Context[Any, Any]) -> str:
    """Ask to open a page."""
    return (await ctx.elicit_url("See the page", "https://example.com/a?b=1", "e-1")).action


@server.tool()
async def count(ctx: Context[Any, Any], steps: int = 3) -> str:
    """Report progress."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1}")
        await asyncio.sleep(0.01)
    return "done"


@server.tool()
async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


@server.tool()
def variables() -> str:
    """Return the names of all variables."""
    return " ".join(sorted(os.environ))


@server.tool()
def leave(status: int) -> str:
    """End the process."""
    print("goodbye", file=sys.stderr, flush=True)
    os._exit(status)


@server.tool()
def large(size: int) -> str:
    """Return a long text."""
    return "x" * size


@server.resource("note://guide", title="The guide")
def guide() -> str:
    """A resource."""
    return "Read the guide."


@server.prompt()
def review(file: str, depth: str = "low") -> str:
    """Review a file."""
    return f"Review {file} ({depth})."


if __name__ == "__main__":
    server.run("stdio")
