"""Our own source files as the house tests read them: text, syntax tree, room.

Nothing is read before a test asks for it: all trees at once are a million objects, in every process that only collects.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """One Python file. `name` is its path from the root; `room` the folder (or file) under jp_tui it is in."""

    path: Path
    name: str

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def tree(self) -> ast.Module:
        """Made anew each time: look at it once."""
        return ast.parse(self.text, self.name)

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def room(self) -> str:
        return self.name.split("/")[1].removesuffix(".py")

    @property
    def module(self) -> str:
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All of them, at any depth; what is in expressions takes long and has no text of its own."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            inside = getattr(node, name, None)
            left += inside if isinstance(inside, list) else ()


@cache
def ours(*folders: str) -> tuple[Source, ...]:
    """Every Python file of the program (or of `folders`), in order."""
    found = [path for folder in folders or ("jp_tui",) for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(Source(path, path.relative_to(ROOT).as_posix()) for path in found)


@cache
def tracked() -> tuple[str, ...]:
    """Every file under version control, and what is about to be; empty where there is no repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return tuple(name for name in listed.stdout.splitlines() if (ROOT / name).is_file())


@cache
def imported(source: Source) -> tuple[tuple[int, str, bool], ...]:
    """Every import of a file: line, dotted name (`a.b` and each `a.b.c` of a from-import), inside a function?"""
    found: list[tuple[int, str, bool]] = []

    def walk(node: ast.AST, inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                found.extend((child.lineno, alias.name, inside) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                found.append((child.lineno, base, inside))
                found.extend((child.lineno, f"{base}.{alias.name}", inside) for alias in child.names)
            walk(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    walk(source.tree, False)
    return tuple(found)
