"""Which tests run which blocks of the program, in whatever process: probes in a copy of the tree.

Each block of statements of the files that may be changed gets a first statement that sets a byte in a mapped file. Any
process that runs the copy sets it: a child, a fork, one that is killed. Between tests the bytes are read and cleared
(`recorder.py`, a plugin of pytest). A block that was reached counts as a whole, which is more than the lines that ran.
Code at module level, and lambdas there, belong to no block.
"""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

MODULE = "_mutant_probes"
_CODE = """import mmap, posix
_file = posix.open({path!r}, posix.O_RDWR)
HITS = mmap.mmap(_file, {size})
posix.close(_file)
"""


class Blocks:
    """The blocks of one file: a name for each, which other functions' changes do not touch, and where it stands."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.names: list[str] = []
        self.tree = ast.parse(source)
        self._spans: list[tuple[int, int, str]] = []
        self.bodies: list[list[ast.stmt]] = []
        for statement in self.tree.body:
            self._outside(statement, "")

    def _outside(self, node: ast.stmt, name: str) -> None:
        """A statement at the level of a module or a class: only functions in it run later."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{name}.{node.name}".strip(".")
            self._function(node, inner, hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:10])
        elif isinstance(node, ast.ClassDef):
            for child in node.body:
                self._outside(child, f"{name}.{node.name}".strip("."))
        else:
            for body in _bodies(node):
                for child in body:
                    self._outside(child, name)

    def _function(self, node: ast.AST, name: str, digest: str) -> None:
        for body in _bodies(node):
            number = sum(one.startswith(f"{self.path}::{name}::") for one in self.names)
            self.names.append(f"{self.path}::{name}::{digest}::{number}")
            self._spans.append((body[0].lineno, body[-1].end_lineno or 0, self.names[-1]))
            self.bodies.append(body)
            for child in body:
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    self._outside(child, name)
                else:
                    self._function(child, name, digest)

    def at(self, line: int) -> str:
        """The innermost block with this line; empty at module level."""
        found = [(last - first, name) for first, last, name in self._spans if first <= line <= last]
        return min(found)[1] if found else ""


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements directly in a statement, also those of its handlers and cases."""
    parts = [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    found = [getattr(part, field, None) for part in parts for field in ("body", "orelse", "finalbody")]
    return [body for body in found if isinstance(body, list) and body and isinstance(body[0], ast.stmt)]


def instrument(root: Path, files: list[str], hits: Path) -> list[str]:
    """Put probes into these files of a copy; the names of the blocks by the place of their byte."""
    names: list[str] = []
    for path in files:
        blocks = Blocks(path, (root / path).read_bytes())
        for name, body in zip(blocks.names, blocks.bodies, strict=True):
            probe = ast.parse(f"_probe_hits_[{len(names)}] = 1").body
            talks = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            body[1 if talks else 0 : 1 if talks else 0] = probe
            names.append(name)
        tree = blocks.tree
        place = 0
        for statement in tree.body:
            text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not text and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
                break
            place += 1
        tree.body[place:place] = ast.parse(f"from jp_tui.{MODULE} import HITS as _probe_hits_").body
        (root / path).write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n")
    hits.write_bytes(bytes(len(names)))
    (root / "jp_tui" / f"{MODULE}.py").write_text(_CODE.format(path=str(hits), size=len(names)))
    return names
