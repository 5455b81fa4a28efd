"""The tokens of a command line that dash and bash read identically (rules.md AR12, AR13).

A positive list: a character that is not in it ends the reading with a reason. Each word records what is quoted, escaped
or expanded, so that words are compared as the shell would pass them on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 16_384
"""Most characters of a line."""
OPERATORS = ("&&", "||", ";", "&", "|", "\n", "(", ")")
_NAME = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})")
_PLAIN = re.compile(r"[^\s\\'\"$`;&|()<>{}*?\[~#\x00-\x20\x7f]+")
_DOUBLE = re.compile(r'[^"\\$`]+')
_REDIRECTION = re.compile(r"(\d*)(>>|>\||>&|<&|>|<)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FORBIDDEN = re.compile(
    "[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\ufff9-\ufffb\ud800-\udfff]|\u180e|\u00ad"
)
"""Blanks outside ASCII, characters without a width, and surrogates."""


class NotUnderstood(Exception):
    """The line is not in the positive list; the message is the reason, for the user."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the shell passes it on; `text` is None if an expansion, a pattern or a tilde decides (open).

    `raw` is its text in the line, `at` its first character; `plain`: nothing in it is quoted or escaped.
    """

    raw: str
    at: int
    text: str | None
    plain: bool = True

    @property
    def end(self) -> int:
        return self.at + len(self.raw)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: word, operator, redirection, comment. A redirection's `raw` is its sign with the descriptor before it."""

    kind: str
    raw: str
    at: int
    word: Word | None = None

    @property
    def end(self) -> int:
        return self.at + len(self.raw)


def tokens(line: str) -> list[Token]:
    """Return all tokens of a line in order. Raises NotUnderstood."""
    if len(line) > LONGEST:
        raise NotUnderstood(f"it has more than {LONGEST:,} characters")
    if _CONTROL.search(line):
        raise NotUnderstood("it has a control character")
    if _FORBIDDEN.search(line):
        raise NotUnderstood("it has an invisible character or a blank outside ASCII")
    found: list[Token] = []
    at = 0
    while at < len(line):
        sign = line[at]
        if sign in " \t":
            at += 1
            continue
        token = _comment(line, at) if sign == "#" else _operator(line, at) or _redirection(line, at) or _word(line, at)
        found.append(token)
        at = token.end
    return found


def _comment(line: str, at: int) -> Token:
    end = line.find("\n", at)
    return Token("comment", line[at:] if end < 0 else line[at:end], at)


def _operator(line: str, at: int) -> Token | None:
    for sign in OPERATORS:
        if not line.startswith(sign, at):
            continue
        following = line[at + len(sign) : at + len(sign) + 1]
        if sign == ";" and following in ("&", ";") and following:
            raise NotUnderstood("`;;` and `;&` belong to `case`")
        if sign == "&" and following in (">", "<") and following:
            raise NotUnderstood("shells differ in how they read `&>`")
        if sign == "|" and following == "&":
            raise NotUnderstood("shells differ in how they read `|&`")
        if sign == "(" and following == "(":
            raise NotUnderstood("it may contain arithmetic: `((`")
        return Token("operator", sign, at)
    return None


def _redirection(line: str, at: int) -> Token | None:
    match = _REDIRECTION.match(line, at)
    if match is None:
        return None
    if line.startswith("<<", match.start(2)) or line.startswith("<>", match.start(2)):
        raise NotUnderstood("it has a here-document" if line[match.start(2) + 1] == "<" else "it has `<>`")
    if line[match.end() : match.end() + 1] == "(":
        raise NotUnderstood("it has a process substitution")
    if len(match[1]) > 1:
        raise NotUnderstood("shells differ in how they read descriptors above 9")
    return Token("redirection", match[0], at)


def _word(line: str, at: int) -> Token:
    """Return a word from here to the next blank or operator."""
    said: list[str] = []
    start, open_, plain = at, False, True
    while at < len(line):
        sign = line[at]
        if sign in " \t\n;&|()<>":
            break
        if match := _PLAIN.match(line, at):
            said.append(match[0])
            at = match.end()
        elif sign == "#":
            said.append(sign)
            at += 1
        elif sign == "\\":
            said.append(_escaped(line, at))
            plain = False
            at += 2
        elif sign == "'":
            end = line.find("'", at + 1)
            if end < 0:
                raise NotUnderstood("a quote isn't closed")
            said.append(line[at + 1 : end])
            plain = False
            at = end + 1
        elif sign == '"':
            at, expands = _double(line, at, said)
            open_, plain = open_ or expands, False
        elif sign == "$":
            at = _expansion(line, at)
            open_ = True
        elif sign in "*?[~":
            said.append(sign)
            open_ = True
            at += 1
        elif sign in "{}":
            if at == start and line[at + 1 : at + 2] in ("", *" \t\n;&|()<>"):
                said.append(sign)
                at += 1
                break
            raise NotUnderstood("it has braces inside a word")
        else:
            raise NotUnderstood("it has a substitution" if sign == "`" else f"it has {sign!r}")
    raw = line[start:at]
    return Token("word", raw, start, Word(raw, start, None if open_ else "".join(said), plain))


def _escaped(line: str, at: int) -> str:
    sign = line[at + 1 : at + 2]
    if not sign:
        raise NotUnderstood("it ends with a backslash")
    if sign in " \t\n":
        raise NotUnderstood("it has a backslash before a blank or a line end")
    return sign


def _double(line: str, at: int, said: list[str]) -> tuple[int, bool]:
    """Return the place after the closing quote, and True if something in it is expanded."""
    at, expands = at + 1, False
    while at < len(line):
        sign = line[at]
        if sign == '"':
            return at + 1, expands
        if sign == "\\":
            escaped = line[at + 1 : at + 2]
            if escaped == "\n":
                raise NotUnderstood("it has a backslash before a line end")
            said.append(escaped if escaped and escaped in '$`"\\' else sign + escaped)
            at += 2
        elif sign == "$":
            at = _expansion(line, at)
            expands = True
        elif match := _DOUBLE.match(line, at):
            said.append(match[0])
            at = match.end()
        else:
            raise NotUnderstood("it has a substitution")
    raise NotUnderstood("a quote isn't closed")


def _expansion(line: str, at: int) -> int:
    match = _NAME.match(line, at)
    if match is None:
        raise NotUnderstood("it has `$` before something other than a name")
    return match.end()
