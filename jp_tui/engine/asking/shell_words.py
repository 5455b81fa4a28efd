"""Split command lines into words as a shell would, to find what a call names (inquiries.md R247).

Applies to every text in a call's arguments, whatever its purpose: parts joined by quotes and backslashes are joined,
`{a,b}` is expanded, and the words as written are kept, too. It prefers too many words over too few. Words computed at
run time are reported as unknown. Runs nothing and expands no variable. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from jp_tui.conversation.strict_json import Json
from jp_tui.engine.asking.shell_programs import runs_words, writes_anywhere

MOST = 20_000
"""Words of one call that are checked."""
LONGEST = 100_000
"""Characters of one call; a longer one counts as unknown."""
_DEEP = 3
_VARIANTS = 200
_PATH = 4_096
_RAW = re.compile(r"""[^\s"'`=;|&<>(){},:@]+""")
_PIECE = re.compile(
    r"""(?P<blank>[ \t\r]+|\\\n) | (?P<op>\n|[;&|()<>]+) | \$'(?P<ansi>(?:[^'\\]|\\.)*+)'
    | \$?"(?P<double>(?:[^"\\]|\\.)*+)" | '(?P<single>[^']*)' | \\(?P<escaped>.)
    | (?P<computed>\$(?=[A-Za-z_0-9{(@*\[])|`) | (?P<plain>[^\s;&|()<>'"\\$`]+)
    | (?P<other>.)""",
    re.X | re.S,
)
_COMPUTED = re.compile(r"(?<!\\)(?:\\\\)*(?:\$[A-Za-z_0-9{(@*\[]|`)")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c.|.)", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_GROUP = re.compile(r"\{([^{}\s]*,[^{}\s]*)\}")
_SEQUENCE = re.compile(r"\{[^{},\s]+\.\.[^{},\s]+\}")
_EXTENDED = re.compile(r"[?*+@!]\([^()\s]*\)")
_ELSEWHERE = re.compile(r"/proc/(?:[^/]+/){1,4}(?:cwd|root|fd)\b|/dev/fd/")
_QUOTING = re.compile(r"""[\s"'\\;|&<>()]""")


@dataclass(slots=True)
class CallWords:
    """`found` are the words; `unknown`: there are more, which depend on the run."""

    found: set[str] = field(default_factory=set)
    unknown: bool = False


@dataclass(slots=True)
class _Line:
    """One reading of a text: its words in order, operators with a NUL prefix; `computed`: some come from variables or
    other commands."""

    words: list[str] = field(default_factory=list)
    computed: bool = False


def words(arguments: Json) -> CallWords:
    """Return all words of a call's arguments."""
    texts = list(_texts(arguments))
    found = CallWords()
    if sum(map(len, texts)) > LONGEST:
        found.unknown = True
        return found
    lines = [line for text in texts for line in _readings(text)]
    # a program may be in one value and its arguments in another
    stream = [word for text in texts for word in _read(text).words]
    inside = any(map(runs_words, (stream, *(line.words for line in lines))))
    found.unknown = writes_anywhere(stream)
    for text in texts:
        _add(found, text)
    for line in lines:
        _line(found, line, inside, _DEEP)
        if found.unknown or len(found.found) > MOST:
            found.unknown = True
            break
    return found


def _texts(found: Json) -> Iterator[str]:
    match found:
        case str():
            yield found
        case list():
            for one in found:
                yield from _texts(one)
        case dict():
            for key, value in found.items():
                yield key
                yield from _texts(value)
        case _:
            pass


def _readings(text: str) -> Iterator[_Line]:
    """Read the text as a whole, and each line separately: an apostrophe in a comment or a here-document opens no
    quote."""
    yield _read(text)
    if "\n" in text.strip():
        yield from map(_read, text.splitlines())
    if _EXTENDED.search(text):
        yield _read(_EXTENDED.sub("*", text))


def _read(text: str) -> _Line:
    line, word = _Line(), list[str]()

    def end() -> None:
        if word:
            line.words.append("".join(word))
            word.clear()

    for piece in _PIECE.finditer(text):
        kind, said = piece.lastgroup, piece.group(piece.lastgroup or 0)
        match kind:
            case "blank":
                if not said.startswith("\\"):
                    end()
            case "op":
                end()
                line.words.append(f"\0{said}")
            case "ansi":
                word.append(_ESCAPE.sub(_unescaped, said))
            case "double":
                line.computed |= _COMPUTED.search(said) is not None
                word.append(re.sub(r'\\([\\"$`\n])', lambda sign: sign[1].strip("\n"), said))
            case "computed":
                line.computed = True
            case _:
                word.append(said)
    end()
    return line


def _unescaped(sign: re.Match[str]) -> str:
    code = sign[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
    elif code[0] in "01234567":
        number = int(code, 8) % 256
    else:
        return _ESCAPES.get(code, code)
    return chr(number) if number < 0x110000 else ""


def _line(found: CallWords, line: _Line, inside: bool, deep: int) -> None:
    """`inside`: a program runs words as commands, so computed words in them count as well."""
    found.unknown |= line.computed or writes_anywhere(line.words)
    for word in line.words:
        if word.startswith("\0"):
            continue
        found.unknown |= _ELSEWHERE.search(word) is not None
        variants = _variants(word)
        if variants is None:
            found.unknown = True
            return
        for variant in variants:
            _add(found, variant)
        if deep and _QUOTING.search(word):
            for nested in _readings(word):
                if inside:
                    _line(found, nested, inside, deep - 1)
                else:
                    _quiet(found, nested)


def _quiet(found: CallWords, line: _Line) -> None:
    """Add the words inside a word that isn't run."""
    for word in line.words:
        if not word.startswith("\0"):
            _add(found, word)


def _variants(word: str) -> list[str] | None:
    """Return the brace expansions of a word; None if there are too many."""
    if "{" not in word:
        return [word]
    if len(word) > _PATH:
        return None
    open_, done = [_SEQUENCE.sub("*", word)], list[str]()
    while open_:
        one = open_.pop()
        group = _GROUP.search(one)
        if group is None:
            done.append(one)
        else:
            open_ += [one[: group.start()] + part + one[group.end() :] for part in group[1].split(",")]
        if len(open_) + len(done) > _VARIANTS:
            return None
    return done


def _add(found: CallWords, text: str) -> None:
    """Add a text as a word, and every part that may be one: after `=`, `:`, an option's letter, an encoding."""
    for word in (text, *_RAW.findall(text)):
        if "\n" in word or len(word) > _PATH:
            continue
        found.found.add(word)
        if word[:1] == "-" and len(word) > 2:
            found.found.add(word[2:])
        if "%" in word:
            found.found.add(unquote(word))
