"""The commands of a line, by jp-tui's own reader for the syntax in the positive list (rules.md AR12, AR13, AR16).

Only the order of tokens counts: an operator or a reserved word where a command may begin ends a command, and the next
word names a program. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jp_tui.rules.shell_tokens import NotUnderstood, Token, Word, tokens

DEEPEST = 32
MOST_COMMANDS = 200
_OPENS = {"if": "then", "while": "do", "until": "do", "{": "}", "(": ")"}
"""The reserved word or sign that must follow each beginning of a compound command first."""
_NEXT = {"then": ("elif", "else", "fi"), "else": ("fi",), "do": ("done",)}
_RESERVED = frozenset({
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "!", "{", "}", "case", "esac",
    "function", "select", "coproc", "[[", "]]", "time",
})  # fmt: skip
_NEGATES = "!"


@dataclass(frozen=True, slots=True)
class Redirection:
    """`sign` is one of `<`, `>`, `>>`, `>|`, `<&`, `>&`."""

    sign: str
    target: Word


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """Words, the program first; none for a line part that only redirects. `loops`: it may run more than once."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()
    loops: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of the reader: every token but blanks, and the commands."""

    tokens: tuple[Token, ...]
    commands: tuple[SimpleCommand, ...]


def read_commands(line: str) -> Reading:
    """Return the tokens and commands of a line. Raises NotUnderstood."""
    return _Reader(tokens(line)).read()


@dataclass(slots=True)
class _Open:
    """A compound command that is not closed: its first word, and the words that may follow."""

    began: str
    awaited: tuple[str, ...]
    empty: bool = True


@dataclass(slots=True)
class _Reader:
    """Reads the tokens once, and tracks the open compound commands."""

    given: Sequence[Token]
    at: int = 0
    stack: list[_Open] = field(default_factory=list)
    found: list[SimpleCommand] = field(default_factory=list)

    def read(self) -> Reading:
        begins = True  # a command may begin here
        needed = False  # one must: after `&&`, `||`, `|` and `!`
        while self.at < len(self.given):
            token = self.given[self.at]
            if token.kind == "comment":
                self.at += 1
            elif token.kind == "operator":
                begins, needed = self._operator(token, begins, needed)
            elif begins:
                begins, needed = self._command(token, needed)
            else:
                self._redirected(token)
        if self.stack or needed:
            raise NotUnderstood("it is incomplete")
        return Reading(tuple(self.given), tuple(self.found))

    def _operator(self, token: Token, begins: bool, needed: bool) -> tuple[bool, bool]:
        sign = token.raw
        self.at += 1
        if sign == "\n":
            return True, needed and begins
        if sign == "(":
            if not begins:
                raise NotUnderstood("it has a parenthesis after a word")
            self._open("(")
            return True, False
        if sign == ")":
            if needed:
                raise NotUnderstood("a command is missing")
            self._close(")")
            return False, False
        if begins:
            raise NotUnderstood("a command is missing")
        return True, sign not in (";", "&")

    def _command(self, token: Token, needed: bool) -> tuple[bool, bool]:
        """Read a token where a command may begin: a reserved word, or the first of a simple command."""
        raw = token.raw
        if token.kind == "word" and raw in _RESERVED:
            self.at += 1
            return self._reserved(raw, needed)
        self._simple()
        return False, False

    def _reserved(self, raw: str, needed: bool) -> tuple[bool, bool]:
        if raw == _NEGATES:
            return True, True
        if raw in _OPENS:
            self._open(raw)
            return True, False
        if raw == "for":
            self._for()
            return True, False
        if needed:
            raise NotUnderstood("a command is missing")
        inner = self.stack[-1] if self.stack else None
        if inner is None or raw not in inner.awaited:
            raise NotUnderstood(f"`{raw}` isn't supported here")
        if inner.empty:
            raise NotUnderstood("a command is missing")
        if raw in ("}", "fi", "done"):
            self._close(raw)
            return False, False
        inner.awaited = ("then",) if raw == "elif" else _NEXT[raw]
        inner.empty = True
        return True, False

    def _open(self, began: str) -> None:
        if self.stack:
            self.stack[-1].empty = False
        self.stack.append(_Open(began, (_OPENS[began],)))
        if len(self.stack) > DEEPEST:
            raise NotUnderstood(f"it is nested more than {DEEPEST} deep")

    def _close(self, word: str) -> None:
        if not self.stack or word not in self.stack[-1].awaited or self.stack[-1].empty:
            raise NotUnderstood("it is incomplete")
        self.stack.pop()

    def _for(self) -> None:
        """Read `for x in words;`, then `do`."""
        name = self._next("word")
        if not (len(name.raw) == 1 and "a" <= name.raw <= "z"):
            raise NotUnderstood("`for` is supported with a single lower-case letter only")
        if self._next("word").raw != "in":
            raise NotUnderstood("`for` without `in`")
        while self._peek("word"):
            _refuse_brace(self._next("word"))
        end = self._next("operator")
        if end.raw not in (";", "\n"):
            raise NotUnderstood("it is incomplete")
        while (token := self._here()) is not None and (token.kind == "comment" or token.raw == "\n"):
            self.at += 1
        if self._next("word").raw != "do":
            raise NotUnderstood("`for` without `do`")
        if self.stack:
            self.stack[-1].empty = False
        self.stack.append(_Open("for", ("done",)))
        if len(self.stack) > DEEPEST:
            raise NotUnderstood(f"it is nested more than {DEEPEST} deep")

    def _simple(self) -> None:
        words: list[Word] = []
        redirections: list[Redirection] = []
        while (token := self._here()) is not None and token.kind in ("word", "redirection"):
            if token.kind == "redirection":
                redirections.append(self._redirection())
                continue
            self.at += 1
            assert token.word is not None
            _refuse_brace(token)
            words.append(token.word)
        if words:
            _program(words[0])
        if self.stack:
            self.stack[-1].empty = False
        loops = any(one.began in ("while", "until", "for") for one in self.stack)
        self.found.append(SimpleCommand(tuple(words), tuple(redirections), loops))
        if len(self.found) > MOST_COMMANDS:
            raise NotUnderstood(f"it has more than {MOST_COMMANDS} commands")

    def _redirected(self, token: Token) -> None:
        """Read a token after a compound command: only redirections are valid. They belong to no command, and become one
        without words."""
        if token.kind != "redirection":
            raise NotUnderstood("a word follows a compound command")
        loops = any(one.began in ("while", "until", "for") for one in self.stack)
        self.found.append(SimpleCommand((), (self._redirection(),), loops))

    def _redirection(self) -> Redirection:
        sign = self._next("redirection")
        here = self._here()
        if here is None or here.kind != "word" or here.word is None:
            raise NotUnderstood("a redirection has no target")
        self.at += 1
        _refuse_brace(here)
        plain = sign.raw.lstrip("0123456789")
        if plain in (">&", "<&") and not (len(here.raw) == 1 and "0" <= here.raw <= "9"):
            raise NotUnderstood("shells differ in how they read `>&` before a name")
        return Redirection(plain, here.word)

    def _here(self) -> Token | None:
        return self.given[self.at] if self.at < len(self.given) else None

    def _peek(self, kind: str) -> bool:
        here = self._here()
        return here is not None and here.kind == kind

    def _next(self, kind: str) -> Token:
        here = self._here()
        if here is None or here.kind != kind:
            raise NotUnderstood("it is incomplete")
        self.at += 1
        return here


def _refuse_brace(token: Token) -> None:
    if token.raw in ("{", "}"):
        raise NotUnderstood("it has braces inside a word")


def _program(word: Word) -> None:
    """Check the first word of a simple command."""
    if "=" in word.raw:
        raise NotUnderstood("it may assign a variable")
    if word.text == "" or word.text in _RESERVED:
        raise NotUnderstood("its program has no name or is a reserved word")
