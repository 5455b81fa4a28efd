"""What must be read to know one object: few ancestors, state with one owner, a name that nothing else has.

A chain is a class with its ancestors in the package, protocols and exceptions apart. A field is borrowed when one class
of a chain assigns it and another one uses it.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.house.sources import Source, ours

MOST_CLASSES, MOST_BORROWED, MOST_MODULES = 3, 3, 25
APART = {"Protocol", "Exception", "ValueError"}


@dataclass
class Read:
    """A class of the package: the names of its bases, and the fields of `self` that it assigns and mentions."""

    module: str
    bases: Sequence[str]
    assigned: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)


def module_of(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def classes(sources: Iterable[Source]) -> dict[str, Read]:
    """All classes at the top of modules by their full name, with the full names of their bases."""
    found: dict[str, Read] = {}
    for source in sources:
        module, tree = module_of(source.name), source.tree
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            bases = []
            for base in node.bases:
                head, _, rest = ast.unparse(base).split("[")[0].partition(".")
                bases.append(f"{imported.get(head, f'{module}.{head}')}{'.' if rest else ''}{rest}")
            one = found[f"{module}.{node.name}"] = Read(module, bases)
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self":
                    one.mentioned.add(part.attr)
                    if isinstance(part.ctx, ast.Store):
                        one.assigned.add(part.attr)
    return found


@cache
def of_the_package() -> dict[str, Read]:
    return classes(ours("jp_tui"))


def chain(name: str, known: Mapping[str, Read]) -> list[str]:
    """A class and its ancestors in the package, each once."""
    found, left = list[str](), [name]
    while left:
        one = left.pop(0)
        if one in known and one not in found and not APART & {base.rpartition(".")[2] for base in known[one].bases}:
            found.append(one)
            left += known[one].bases
    return found


def borrowed(names: Sequence[str], known: Mapping[str, Read]) -> set[str]:
    """The fields that one class of a chain assigns and another uses."""
    owners: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for attribute in known[name].assigned:
            owners[attribute].add(name)
    return {
        attribute
        for attribute, who in owners.items()
        if any(attribute in known[name].mentioned for name in names if name not in who)
    }


def wrong(known: Mapping[str, Read]) -> list[str]:
    """What is wrong with the chains."""
    found = []
    for name in known:
        names = chain(name, known)
        if len(names) > MOST_CLASSES:
            found.append(f"{name}: a chain of {len(names)} classes")
        if len(fields := borrowed(names, known)) > MOST_BORROWED:
            found.append(f"{name}: borrowed over its chain: {', '.join(sorted(fields))}")
    return found


def test_a_class_is_known_without_reading_a_chain_of_others() -> None:
    known = of_the_package()
    assert wrong(known) == []
    assert len(known) > 500, "the check has gone blind"


def test_a_public_class_name_exists_once() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for name in of_the_package():
        module, _, short = name.rpartition(".")
        if not short.startswith("_"):
            where[short].append(module)
    assert {name: modules for name, modules in where.items() if len(modules) > 1} == {}


def test_a_folder_is_a_room_and_not_a_hall() -> None:
    folders = Counter(
        str(Path(source.name).parent) for source in ours("jp_tui") if not source.name.endswith("__init__.py")
    )
    assert {folder: count for folder, count in folders.items() if count > MOST_MODULES} == {}


def test_the_checks_above_can_fail(tmp_path: Path) -> None:
    text = "\n".join(
        [
            *(f"class C{at}({f'C{at - 1}' if at else ''}):\n    def m(self): self.f{at} = 1" for at in range(4)),
            "class D(C0):\n    def n(self): return self.f0",
            "class Problem(ValueError): pass",
            "class Mine(Problem): pass",
        ]
    )
    path = tmp_path / "x.py"
    path.write_text(text)
    known = classes([Source(path, "jp_tui/x.py")])
    assert wrong(known) == ["jp_tui.x.C3: a chain of 4 classes"]
    assert borrowed(chain("jp_tui.x.D", known), known) == {"f0"}
    assert chain("jp_tui.x.Mine", known) == ["jp_tui.x.Mine"]
