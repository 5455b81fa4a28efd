"""Private parts of other libraries are used in few files, each behind a guard of `jp_tui/ui/textual_patches`."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict

from jp_tui.ui.textual_patches import PATCHES
from tests.house.sources import Source, imported, ours

GUARDED = {
    "jp_tui/ui/driver/workspace_driver.py": "driver",
    "jp_tui/ui/driver/input_filter.py": "driver",  # imported by it alone
    "jp_tui/ui/textual_patches/crashes.py": "crashes",
    "jp_tui/ui/textual_patches/text_colours.py": "text colours",
    "jp_tui/ui/textual_patches/__init__.py": "compositor",
    "jp_tui/ui/textual_patches/compositing.py": "compositor",
    "jp_tui/ui/textual_patches/faults.py": "style cache",
    "jp_tui/ui/textual_patches/strips.py": "strips",
}
"""Each file that may import a private module of a library, or read a private attribute, and a patch whose guard it has.
Reads of attributes alone, with what is used instead, are in `textual_patches/private.py`, by name in quotes."""
DOCUMENTED = {"_exit": "os", "_current_frames": "sys", "_undefined_name": "jinja2"}
"""Names that begin with an underscore and are public all the same, and whose they are."""


def private_imports(source: Source) -> list[str]:
    """Private modules of other libraries, and private names of public ones."""
    names = [(line, name) for line, name, _ in imported(source)]
    return [
        f"{source.name}:{line} {name}"
        for line, name in names
        if name.split(".")[0] not in {*sys.stdlib_module_names, "jp_tui"}
        and any(part.startswith("_") for part in name.split("."))
    ]


def private_attributes(sources: tuple[Source, ...]) -> dict[str, list[str]]:
    """Private attributes that are read and that nothing of jp-tui defines, with their places."""
    defined, read = set[str](), defaultdict[str, list[str]](list)
    for source in sources:
        for node in ast.walk(source.tree):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    defined.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    defined.add(name)
                case ast.Attribute(attr=name) if name.startswith("_") and not name.startswith("__"):
                    read[name].append(f"{source.name}:{node.lineno} {name}")
    return {name: places for name, places in read.items() if name not in defined and name not in DOCUMENTED}


def test_only_guarded_files_use_private_parts_of_libraries() -> None:
    found = [place for source in ours("jp_tui") for place in private_imports(source)]
    found += [place for places in private_attributes(ours("jp_tui")).values() for place in places]
    assert len(found) > 10, "the check has gone blind"
    assert [place for place in found if place.partition(":")[0] not in GUARDED] == []


def test_each_guard_is_one_of_the_table_and_each_file_is_there() -> None:
    names = {patch.name for patch in PATCHES}
    assert set(GUARDED.values()) <= names
    assert set(GUARDED) <= {source.name for source in ours("jp_tui")}


def test_the_check_can_fail() -> None:
    class Made(Source):
        text = "from textual._x import y\nfrom textual.keys import _z\nimport _thread\nprint(y._gone, _z._f)\n"

    made = Made(None, "jp_tui/x.py")  # type: ignore[arg-type]
    assert {"textual._x", "textual.keys._z"} <= {place.split()[-1] for place in private_imports(made)}
    assert not [place for place in private_imports(made) if "_thread" in place]
    assert set(private_attributes((made,))) == {"_gone", "_f"}
