"""A command line as a shell reads it: its simple commands, or why it is not understood (rules.md AR11-AR13).

Two readers check each other: `shell_reader.py`, and the Bash grammar of tree-sitter. The grammar reads some lines in
another way than a shell, so nothing is taken from its tree; it has to find the same tokens at the same places, and the
same words in each command. A line on which the two differ is not understood. Runs nothing and reads no disk. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from jp_tui.rules.shell_reader import Reading, SimpleCommand, read_commands
from jp_tui.rules.shell_tokens import NotUnderstood

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_GROUPS = frozenset({
    "program", "list", "pipeline", "negated_command", "redirected_statement", "subshell", "compound_statement",
    "if_statement", "elif_clause", "else_clause", "while_statement", "for_statement", "do_group", "command_name",
    "file_redirect",
})  # fmt: skip
"""Nodes whose children are checked; any other named node is a word, a command, a comment, or not understood."""
_WORDS = frozenset({"word", "number", "string", "raw_string", "concatenation", "simple_expansion", "expansion"})
_IN_WORDS = _WORDS | {"string_content", "variable_name", '"', "$", "${", "}"}


@dataclass(frozen=True, slots=True)
class ShellLine:
    """`why` is the reason if a line is not understood; else empty, and `commands` has every program that it starts."""

    text: str
    commands: tuple[SimpleCommand, ...] = ()
    why: str = ""


def read(line: str) -> ShellLine:
    """Read a line. Never raises: a line that cannot be read is not understood."""
    try:
        found = read_commands(line)
        _compare(line, found)
    except NotUnderstood as reason:
        return ShellLine(line, why=str(reason))
    except ImportError:
        return ShellLine(line, why="the packages tree-sitter and tree-sitter-bash aren't installed")
    return ShellLine(line, found.commands)


@lru_cache(maxsize=1)
def _parser() -> Callable[[bytes], Tree]:
    """Load the grammar, at the first line."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language())).parse


@dataclass(slots=True)
class _Seen:
    """The content of the tree: spans in bytes, those of words and signs in order, and those of each command's words."""

    spans: list[tuple[int, int]]
    commands: list[list[tuple[int, int]]]


def _compare(line: str, ours: Reading) -> None:
    """Raise NotUnderstood unless the grammar found the same."""
    root = _parser()(line.encode()).root_node
    if root.has_error:
        raise NotUnderstood("the grammar can't parse it")
    seen = _Seen([], [])
    _walk(root, seen)
    place = _places(line)
    spans = [(place(token.at), place(token.end)) for token in ours.tokens if token.raw != "\n"]
    commands = [[(place(word.at), place(word.end)) for word in one.words] for one in ours.commands if one.words]
    if seen.spans != spans or seen.commands != commands:
        raise NotUnderstood("the grammar parses it differently")


def _places(line: str) -> Callable[[int], int]:
    """Return a function from positions in characters to positions in UTF-8."""
    if line.isascii():
        return lambda at: at
    return [0, *accumulate(len(sign.encode()) for sign in line)].__getitem__


def _walk(root: Node, seen: _Seen) -> None:
    """Raise NotUnderstood for a node that is not in the list."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        kind = node.type
        span = (node.start_byte, node.end_byte)
        if kind in _WORDS:
            _check_word(node)
            seen.spans.append(span)
        elif kind == "command":
            seen.commands.append(list(_words(node)))
            waiting += reversed(node.children)
        elif kind == "file_redirect":
            waiting += reversed(_redirect(node, seen))
        elif kind in _GROUPS:
            waiting += reversed(node.children)
        elif not node.is_named or kind in ("comment", "variable_name"):
            seen.spans.append(span)
        else:
            raise NotUnderstood(f"it has a {kind.replace('_', ' ')}")


def _check_word(node: Node) -> None:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type not in _IN_WORDS:
            raise NotUnderstood(f"it has a {one.type.replace('_', ' ')}")
        waiting += one.children


def _words(command: Node) -> Iterator[tuple[int, int]]:
    for child in command.children:
        if child.type != "file_redirect":
            yield child.start_byte, child.end_byte


def _redirect(node: Node, seen: _Seen) -> list[Node]:
    """Add the descriptor and the sign as one token; return the target, which is still to be checked."""
    children = node.children
    first = children.pop(0)
    start, end = first.start_byte, first.end_byte
    if first.type == "file_descriptor":
        sign = children.pop(0)
        if sign.start_byte != end:
            raise NotUnderstood("the grammar parses it differently")
        end = sign.end_byte
    if len(children) != 1:
        raise NotUnderstood("the grammar takes more than one word for the target of a redirection")
    seen.spans.append((start, end))
    return children
