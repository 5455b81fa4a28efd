"""Finds every mutant of a Python file. Pure: source in, mutants out.

Left alone is what no test could or should notice: docstrings, annotations, decorators, `__slots__` and `__all__`, type
aliases, protocols, asserts, code for type checkers, wording (any text with a space, f-strings), and the entries of long
tables of data.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.mutants.mutant import Mutant

TABLE = 16
"""A literal at module level with more entries than this is a table of data, and its entries are left alone."""
_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: (r"==", "!="),
    ast.NotEq: (r"!=", "=="),
    ast.Lt: (r"<", "<="),
    ast.LtE: (r"<=", "<"),
    ast.Gt: (r">", ">="),
    ast.GtE: (r">=", ">"),
    ast.Is: (r"is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: (r"in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}
_SUMS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: (r"-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.FloorDiv: (r"//", "*"),
    ast.BitAnd: (r"&", "|"),
    ast.BitOr: (r"\|", "&"),
}
_UNRUN = {"Protocol", "TypedDict"}
_ALIASES = {"Literal", "Callable", "Mapping", "Sequence", "Union", "Optional", "TypeVar", "NewType", "Annotated"}


def mutants(path: str, source: bytes) -> list[Mutant]:
    """All mutants of one file, in the order of the file. A few are no Python, see `real`."""
    return list(_Finder(path, source).all())


def real(one: Mutant, source: bytes) -> bool:
    """Whether it is Python, and another program than before. Costs two parses of the file."""
    try:
        return ast.dump(ast.parse(one.applied(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


@dataclass
class _Finder:
    path: str
    source: bytes
    _starts: list[int] = field(default_factory=list)
    _function: list[str] = field(default_factory=list)
    _statement: ast.stmt | None = None
    _number: int = 0
    _last: ast.stmt | None = None
    """The last statement of the function that was entered last."""

    def all(self) -> Iterator[Mutant]:
        self._starts = [0]
        for line in self.source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        seen: set[tuple[int, int, str]] = set()
        for one in self._block(ast.parse(self.source).body):
            place = (one.start, one.end, one.after)
            if place not in seen:
                seen.add(place)
                yield one

    # -- places

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, start: int, end: int) -> str:
        return self.source[start:end].decode()

    def _made(self, kind: str, start: int, end: int, after: str) -> Mutant:
        line = self._statement.lineno if self._statement is not None else 1
        name = ".".join(self._function)
        first = self.source.rfind(b"\n", 0, start) + 1
        last = self.source.find(b"\n", end)
        around = self._text(first, start), self._text(end, last)
        return Mutant(self.path, name, kind, start, end, self._text(start, end), after, around, line, self._number)

    def _put(self, kind: str, node: ast.expr | ast.stmt, after: str) -> Mutant:
        return self._made(kind, *self._span(node), after)

    # -- statements

    def _block(self, body: list[ast.stmt]) -> Iterator[Mutant]:
        for statement in body:
            yield from self._one(statement)

    def _one(self, statement: ast.stmt) -> Iterator[Mutant]:
        self._statement, self._number = statement, self._number + 1
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function.append(statement.name)
                self._last = statement.body[-1]
                for default in (*statement.args.defaults, *statement.args.kw_defaults):
                    if default is not None:
                        yield from self._inside(default)
                yield from self._block(statement.body)
                self._function.pop()
            case ast.ClassDef():
                if not _UNRUN & {ast.unparse(base).split("[")[0] for base in statement.bases}:
                    self._function.append(statement.name)
                    yield from self._block(statement.body)
                    self._function.pop()
            case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Global() | ast.Nonlocal() | ast.Pass():
                return
            case ast.If() if ast.unparse(statement.test) == "TYPE_CHECKING":
                return
            case _:
                yield from self._dropped(statement)
                yield from self._parts(statement)

    def _dropped(self, statement: ast.stmt) -> Iterator[Mutant]:
        """The statement itself left out, or a jump turned into another."""
        match statement:
            case ast.Expr(ast.Call() | ast.Await()):
                if not _logs(statement.value) and not _sleeps(statement.value):
                    yield self._put("drop call", statement, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign() | ast.Delete():
                yield self._put("drop assignment", statement, "pass")
            case ast.Raise():
                if "AssertionError" not in ast.unparse(statement):
                    yield self._put("drop raise", statement, "pass")
            case ast.Return(value=value) if value is not None and not _is_none(value):
                yield self._put("return nothing", statement, "return None")
            case ast.Return():
                if statement is not self._last:  # which comes to the same
                    yield self._put("drop return", statement, "pass")
            case ast.Break():
                yield self._put("break", statement, "continue")
            case ast.Continue():
                yield self._put("continue", statement, "break")
                yield self._put("continue", statement, "pass")

    def _parts(self, statement: ast.stmt) -> Iterator[Mutant]:
        """The expressions of a statement, then the statements in it."""
        match statement:
            case ast.If(test=test) | ast.While(test=test):
                yield from self._condition(test)
                yield from self._inside(test)
            case ast.For(iter=over) | ast.AsyncFor(iter=over):
                yield from self._inside(over)
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    yield from self._inside(item.context_expr)
            case ast.Match():
                yield from self._inside(statement.subject)
                for case in statement.cases:
                    if case.guard is not None:
                        yield from self._condition(case.guard)
                        yield from self._inside(case.guard)
                    yield from self._block(case.body)
            case ast.AnnAssign(value=value) | ast.Return(value=value):
                if value is not None:
                    yield from self._inside(value)
            case ast.Assign():
                if not self._about_types(statement):
                    yield from self._inside(statement.value)
            case ast.AugAssign() | ast.Expr():
                if not isinstance(statement.value, ast.Constant):  # a docstring
                    yield from self._inside(statement.value)
            case ast.Raise():
                yield from self._inside(statement.exc)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(inner := getattr(statement, name, None), list) and not isinstance(statement, ast.Match):
                yield from self._block(inner)
        for handler in getattr(statement, "handlers", ()):
            yield from self._block(handler.body)

    def _about_types(self, statement: ast.Assign) -> bool:
        """A type alias, `__slots__`, `__all__`, or a long table of data."""
        names = {ast.unparse(target) for target in statement.targets}
        if names & {"__slots__", "__all__"}:
            return True
        if self._function:
            return False
        value = statement.value
        long = sum(isinstance(node, ast.Constant) for node in ast.walk(value)) > TABLE
        alias = isinstance(value, ast.Subscript | ast.BinOp | ast.Call) and bool(
            _ALIASES & {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        )
        union = isinstance(value, ast.BinOp) and all(
            isinstance(node, ast.BinOp | ast.BitOr | ast.Name | ast.Attribute | ast.Load | ast.Subscript | ast.Constant)
            and not isinstance(getattr(node, "value", None), int)
            for node in ast.walk(value)
        )
        return long or alias or union

    # -- expressions

    def _condition(self, test: ast.expr) -> Iterator[Mutant]:
        yield self._put("negate", test, f"not ({self._text(*self._span(test))})")

    def _inside(self, node: ast.AST | None) -> Iterator[Mutant]:
        match node:
            case None | ast.JoinedStr() | ast.Name() | ast.Lambda(body=ast.Constant()):
                return
            case ast.Constant():
                yield from self._constant(node)
                return
            case ast.Compare():
                yield from self._compare(node)
            case ast.BoolOp():
                yield from self._bool(node)
            case ast.UnaryOp(op=ast.Not()):
                yield self._put("drop not", node, self._text(*self._span(node.operand)))
            case ast.BinOp(op=ast.LShift()):  # a size in bytes
                return
            case ast.BinOp():
                yield from self._sum(node)
            case ast.IfExp():
                yield from self._condition(node.test)
            case ast.List() | ast.Set() | ast.Dict():
                if getattr(node, "elts", None) or getattr(node, "keys", None):
                    yield self._put("empty", node, "set()" if isinstance(node, ast.Set) else _empty(node))
            case ast.Call():
                yield from self._call(node)
                return
            case ast.comprehension():
                for test in node.ifs:
                    yield from self._condition(test)
        for child in ast.iter_child_nodes(node):
            if isinstance(node, ast.Lambda) and isinstance(child, ast.arguments):
                continue
            yield from self._inside(child)

    def _constant(self, node: ast.Constant) -> Iterator[Mutant]:
        match node.value:
            case bool():
                yield self._put("constant", node, str(not node.value))
            case int() if abs(node.value) < 10**6:
                yield self._put("constant", node, str(node.value + 1))
                if node.value > 0:
                    yield self._put("constant", node, str(node.value - 1))
            case str() if " " not in node.value and "\n" not in node.value:
                yield self._put("constant", node, '""' if node.value else '"mutant"')

    def _between(self, left: ast.expr, right: ast.expr, pattern: str, after: str, kind: str) -> Iterator[Mutant]:
        """The operator between two operands, which may stand in brackets."""
        start, end = self._span(left)[1], self._span(right)[0]
        word = rf"\b{pattern}\b" if pattern[0].isalpha() else pattern
        found = list(re.finditer(word, self._text(start, end)))
        if len(found) == 1:
            yield self._made(kind, start + found[0].start(), start + found[0].end(), after)

    def _compare(self, node: ast.Compare) -> Iterator[Mutant]:
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, node.comparators, strict=False):
            pattern, after = _COMPARED[type(operator)]
            yield from self._between(left, right, pattern, after, "compare")

    def _bool(self, node: ast.BoolOp) -> Iterator[Mutant]:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from self._between(left, right, old, new, "and/or")
        if len(node.values) == 2:
            for side in node.values:
                yield self._put("one side", node, f"({self._text(*self._span(side))})")

    def _sum(self, node: ast.BinOp) -> Iterator[Mutant]:
        texts = any(
            isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
            for side in (node.left, node.right)
        )
        if type(node.op) in _SUMS and not texts:
            pattern, after = _SUMS[type(node.op)]
            yield from self._between(node.left, node.right, pattern, after, "sum")

    def _call(self, node: ast.Call) -> Iterator[Mutant]:
        if _logs(node):
            return
        if _name(node.func) in ("isinstance", "issubclass", "cast"):
            yield from self._inside(node.args[0])
            return
        if _sleeps(node):
            return
        if _speaks(node):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                said = isinstance(argument, ast.IfExp | ast.BinOp | ast.BoolOp)
                if not said and not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    yield from self._inside(argument)
            return
        if len(node.args) >= 2 and _name(node.func) not in ("min", "max"):
            yield from self._swapped(node.args[0], node.args[1])
        for keyword in node.keywords:
            if keyword.arg is not None and len(node.args) + len(node.keywords) > 1:
                yield from self._without(node, keyword)
        yield from self._inside(node.func)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from self._inside(argument)

    def _swapped(self, one: ast.expr, two: ast.expr) -> Iterator[Mutant]:
        (start, middle), (again, end) = self._span(one), self._span(two)
        first, second = self._text(start, middle), self._text(again, end)
        if first != second and not isinstance(one, ast.Starred | ast.GeneratorExp) and not isinstance(two, ast.Starred):
            yield self._made("swap arguments", start, end, second + self._text(middle, again) + first)

    def _without(self, node: ast.Call, keyword: ast.keyword) -> Iterator[Mutant]:
        """The call without one keyword, where another argument stands before it."""
        every = sorted(self._span(one) for one in (*node.args, *(each.value for each in node.keywords)))
        span = self._span(keyword.value)
        place = every.index(span)
        if place > 0:
            yield self._made("drop keyword", every[place - 1][1], span[1], "")


def _empty(node: ast.expr) -> str:
    return "{}" if isinstance(node, ast.Dict) else "[]"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _logs(node: ast.expr) -> bool:
    """A line for a log of the program, which nobody promises."""
    if isinstance(node, ast.Await):
        node = node.value
    return isinstance(node, ast.Call) and _name(node.func) in ("debug", "info", "warning", "log_line")


def _sleeps(node: ast.expr) -> bool:
    """How long, and whether others come first, is nobody's promise."""
    if isinstance(node, ast.Await):
        node = node.value
    return isinstance(node, ast.Call) and _name(node.func) == "sleep"


def _speaks(node: ast.Call) -> bool:
    """Whether its texts are wording: an error, a refusal, a failure."""
    return _name(node.func).endswith(("Error", "Problem", "Refusal", "Failure", "problem", "broken", "Failed"))
