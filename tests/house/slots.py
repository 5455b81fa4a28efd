"""Which text reaches a widget, read from the syntax tree (traps.md T2, HOUSE "Text").

A slot is a place of a widget that shows text. What stands there must be shown to be `Content` made by `ui/text.py`:
a call of a function that says it returns Content, or a name that is declared or assigned so. What cannot be shown to
be is a finding. A plain `str` would be read as markup, so there is no way to declare one harmless.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

SAFE_TYPES = {"Content", "Option", "Strip", "None"}
CARRIERS = {"reactive", "var", "list", "tuple", "Iterable", "Sequence", "Iterator", "Callable", "ClassVar", "Final"}
FIRST_ARGUMENT = {"Static", "Label", "Button", "Checkbox", "RadioButton", "Option", "Link", "Digits", "Tab", "TabPane"}
ALL_ARGUMENTS = {"OptionList", "SelectionList", "RadioSet", "Select"}
KEYWORDS = {"placeholder", "border_title", "border_subtitle", "label", "prompt", "content", "renderable", "title"}
ANY_CALL_KEYWORDS = {"placeholder", "border_title", "border_subtitle"}
METHODS = {"update": 0, "notify": 0, "add_option": 0, "add_options": 0, "replace_option_prompt": 1}
ATTRIBUTES = {"border_title", "border_subtitle", "tooltip", "placeholder", "label", "prompt"}
CONTENT_METHODS = {"stylize", "stylize_before", "append", "append_text", "join", "expand_tabs", "rstrip", "truncate"}
FORBIDDEN_CALLS = {"from_markup", "from_ansi", "from_rich_text", "escape", "visualize", "render_markup"}
FORBIDDEN_WIDGETS = {"Markdown", "MarkdownViewer", "RichLog", "Log", "Pretty", "Header", "Footer", "Tooltip"}
MAKERS = {"Content": ("jp_tui/ui/text.py",), "Text": ()}


@dataclass(frozen=True)
class Finding:
    """Something in a slot that was not shown to be made by `ui/text.py`."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


@dataclass
class Index:
    """What the tree declares: types of functions and attributes by name, values of constants."""

    functions: dict[tuple[str, str], ast.expr | None] = field(default_factory=dict)
    methods: dict[str, list[ast.expr | None]] = field(default_factory=lambda: defaultdict(list))
    attributes: dict[str, list[ast.expr | None]] = field(default_factory=lambda: defaultdict(list))
    constants: dict[tuple[str, str], ast.expr] = field(default_factory=dict)
    imports: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    slots: int = 0


def findings(sources: Mapping[str, ast.Module]) -> tuple[list[Finding], int]:
    """Every finding in files (path → tree), and how many slots were looked at."""
    index = Index()
    for file, tree in sources.items():
        _declare(index, file.removesuffix(".py").replace("/", "."), tree)
    found: list[Finding] = []
    for file, tree in sources.items():
        _File(index, file, found).visit(tree)
    return found, index.slots


def _declare(index: Index, module: str, tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                index.imports[module, alias.asname or alias.name] = (node.module, alias.name)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            index.functions[module, node.name] = node.returns
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            index.constants[module, node.targets[0].id] = node.value
        elif isinstance(node, ast.ClassDef):
            _declare_class(index, node)


def _declare_class(index: Index, node: ast.ClassDef) -> None:
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            index.attributes[part.target.id].append(part.annotation)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in part.decorator_list)
            (index.attributes if is_property else index.methods)[part.name].append(part.returns)
            for inner in ast.walk(part):
                if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Attribute):
                    index.attributes[inner.target.attr].append(inner.annotation)


def safe_type(annotation: ast.expr | None) -> bool:
    """Whether a declared type holds only what `ui/text.py` makes (or a collection of it)."""
    match annotation:
        case ast.Constant(value=str(text)):
            return safe_type(ast.parse(text, mode="eval").body)
        case ast.Constant(value=None):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in SAFE_TYPES
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return safe_type(left) and safe_type(right)
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in CARRIERS:
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            parts = parts[-1:] if name == "Callable" else parts
            return all(safe_type(part) for part in parts if not _ellipsis(part))
    return False


def _ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


class _File(ast.NodeVisitor):
    """One file: looks at every slot, knowing the functions around it."""

    def __init__(self, index: Index, file: str, found: list[Finding]) -> None:
        self.index, self.file, self.found = index, file, found
        self.module = file.removesuffix(".py").replace("/", ".")
        self.functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self.classes: list[ast.ClassDef] = []

    # -- where text can go

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name == "render" and self.file.startswith("jp_tui/ui/") and not safe_type(node.returns):
            self._report(node, "render() does not say that it returns Content")
        self.functions.append(node)
        self.generic_visit(node)
        self.functions.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.classes.append(node)
        self.generic_visit(node)
        self.classes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Import(self, node: ast.Import) -> None:
        self._imports(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._imports(node)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> None:
        module = getattr(node, "module", None) or ""
        for alias in node.names:
            if module.startswith("textual") and alias.name in FORBIDDEN_WIDGETS:
                self._report(node, f"{alias.name} parses or shows text by itself")
            if alias.name in FORBIDDEN_CALLS and module.startswith(("rich", "textual")):
                self._report(node, f"{alias.name} makes text from markup")

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and target.attr in ATTRIBUTES:
                self._slot(node.value, f".{target.attr}")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if isinstance(node.func, ast.Name) and name in MAKERS:
            if not any(self.file.startswith(place) for place in MAKERS[name]):
                self._report(node, f"{name}(…) is made in {' and '.join(MAKERS[name]) or 'no file'} only")
        elif isinstance(node.func, ast.Name):
            self._constructor(node, name)
        elif name in METHODS and len(node.args) > METHODS[name]:
            argument = node.args[METHODS[name]]
            plain = isinstance(argument, ast.Dict | ast.DictComp | ast.Set | ast.SetComp)
            if not plain and not self._container(node.func):
                self._slot(argument, f".{name}()")
        maker = getattr(getattr(node.func, "value", None), "id", "")
        if maker in MAKERS and self.file not in MAKERS[maker]:
            self._report(node, f"{maker}.{name} is called in ui/text.py only")
        self.generic_visit(node)

    def _container(self, function: ast.expr) -> bool:
        """Whether `x.update(…)` is that of a set or a dictionary, by the type that x is declared with."""
        name = getattr(getattr(function, "value", None), "attr", "")
        declared = [ast.unparse(each) for each in self.index.attributes.get(name, []) if each is not None]
        return bool(declared) and all(each.startswith(("set[", "dict[", "Counter[")) for each in declared)

    def _constructor(self, node: ast.Call, name: str) -> None:
        known = name in FIRST_ARGUMENT or name in ALL_ARGUMENTS
        arguments = node.args[:1] if name in FIRST_ARGUMENT else node.args if name in ALL_ARGUMENTS else []
        for argument in arguments:
            self._slot(argument, f"{name}(…)")
        for keyword in node.keywords:
            if keyword.arg in ANY_CALL_KEYWORDS or (known and keyword.arg in KEYWORDS):
                self._slot(keyword.value, f"{name}({keyword.arg}=…)")
        if name == "SystemCommand" and not all(_literal(argument) for argument in node.args[:2]):
            self._report(node, "SystemCommand shows its words as they are: literals only")

    # -- what stands there

    def _slot(self, value: ast.expr, where: str) -> None:
        self.index.slots += 1
        if not self.safe(value):
            self._report(value, f"{where} gets {ast.unparse(value)[:60]}, which is not shown to be Content")

    def _report(self, node: ast.AST, what: str) -> None:
        self.found.append(Finding(self.file, getattr(node, "lineno", 0), what))

    def safe(self, value: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether an expression is shown to be Content, or several of them."""
        match value:
            case ast.Constant(value=None):
                return True
            case ast.Call(func=function):
                return self._safe_call(function, seen)
            case ast.Name(id=name):
                return name in seen or self._safe_name(name, seen | {name})
            case ast.Attribute(attr=name):
                return self._safe_attribute(value, name, seen)
            case ast.IfExp(body=body, orelse=orelse):
                return self.safe(body, seen) and self.safe(orelse, seen)
            case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
                return all(self.safe(each, seen) for each in values)
            case ast.Subscript(value=ast.Call(func=function), slice=ast.Constant(value=int(place))):
                return self._safe_part(function, place)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.safe(left, seen) and self.safe(right, seen)
            case ast.GeneratorExp(elt=inner) | ast.ListComp(elt=inner):
                return self.safe(inner, seen)
            case (
                ast.Starred(value=inner)
                | ast.Subscript(value=inner)
                | ast.NamedExpr(value=inner)
                | ast.Await(value=inner)
            ):
                return self.safe(inner, seen)
        return False

    def _safe_call(self, function: ast.expr, seen: frozenset[str]) -> bool:
        if isinstance(function, ast.Name) and function.id == "Option":
            return True  # its own text is a slot
        if (declared := self._declared(function)) is not None:
            return safe_type(declared)
        if not isinstance(function, ast.Attribute):
            return False
        if function.attr in CONTENT_METHODS and self.safe(function.value, seen):
            return True
        known = self.index.methods.get(function.attr, []) or self.index.attributes.get(function.attr, [])
        return bool(known) and all(safe_type(each) for each in known)

    def _safe_part(self, function: ast.expr, place: int) -> bool:
        """One part of the tuple that a function says it returns."""
        match self._declared(function):
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=parts)) if place < len(parts):
                return safe_type(parts[place])
        return self._safe_call(function, frozenset())

    def _declared(self, function: ast.expr) -> ast.expr | None:
        """What a function of ours, called by its name or through its module, says it returns."""
        if isinstance(function, ast.Name):
            return self.index.functions.get(self._resolve(function.id))
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            package, name = self.index.imports.get((self.module, function.value.id), ("", ""))
            return self.index.functions.get((f"{package}.{name}", function.attr))
        return None

    def _safe_attribute(self, value: ast.Attribute, name: str, seen: frozenset[str]) -> bool:
        if isinstance(value.value, ast.Name):
            package, module = self.index.imports.get((self.module, value.value.id), ("", ""))
            if (constant := self.index.constants.get((f"{package}.{module}", name))) is not None:
                return self.safe(constant, seen)
        declared = self.index.attributes.get(name, [])
        if declared:
            return all(safe_type(each) for each in declared)
        return self._assigned_safe(name, seen)

    def _assigned_safe(self, name: str, seen: frozenset[str]) -> bool:
        """An attribute that is declared nowhere is judged by all that its class assigns to it."""
        mine = f"self.{name}"
        if mine in seen:
            return True
        found = False
        for method in ast.walk(self.classes[-1]) if self.classes else ():
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                for each in _assigned(method, name, attribute=True):
                    found = True
                    around, self.functions = self.functions, [method]
                    good = self.safe(each, seen | {mine})
                    self.functions = around
                    if not good:
                        return False
        return found

    def _safe_name(self, name: str, seen: frozenset[str]) -> bool:
        for function in reversed(self.functions):
            arguments = function.args
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg):
                if argument is not None and argument.arg == name:
                    return safe_type(argument.annotation)
            if assigned := _assigned(function, name):
                return all(self.safe(each, seen) for each in assigned)
        where = self._resolve(name)
        return where in self.index.constants and self.safe(self.index.constants[where], seen)

    def _resolve(self, name: str) -> tuple[str, str]:
        return self.index.imports.get((self.module, name), (self.module, name))


def _assigned(function: ast.AST, name: str, *, attribute: bool = False) -> list[ast.expr]:
    """Every value that a function gives to a name, loops over collections included; a declared type counts as one."""
    found: list[ast.expr] = []
    for node in ast.walk(function):
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.Assign):
            pairs = [pair for target in node.targets for pair in _pairs(target, node.value)]
        elif isinstance(node, ast.NamedExpr | ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value):
            pairs = [(node.target, node.value)] if node.value is not None else []
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            named = target.attr if attribute and isinstance(target, ast.Attribute) else getattr(target, "id", "")
            if named == name:
                found.append(value)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    if isinstance(target, ast.Tuple):
        return [(part, ast.Subscript(value, ast.Constant(place))) for place, part in enumerate(target.elts)]
    return [(target, value)]


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
