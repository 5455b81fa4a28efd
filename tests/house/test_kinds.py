"""Every kind of answer is known in every room: what a new one still misses is named."""

from __future__ import annotations

import pytest

from jp_tui.headless.forms.registry import FORMS
from jp_tui.questions.types import KINDS
from jp_tui.ui.sheets.registry import AREAS

TABLES = {"jp_tui/ui/sheets/registry.py AREAS": AREAS, "jp_tui/headless/forms/registry.py FORMS": FORMS}


@pytest.mark.parametrize("table", TABLES)
def test_every_kind_has_a_line_in_each_rooms_table(table: str) -> None:
    known = set(TABLES[table])
    assert known == set(KINDS), f"{table} misses {sorted(set(KINDS) - known)}, and has {sorted(known - set(KINDS))}"


def test_every_kind_is_read_as_it_is_recorded() -> None:
    bodies = {"options": ["a", "b"], "schema": {"type": "string"}}
    for name, kind in KINDS.items():
        made = kind.read(bodies, bounded=True)
        assert made.type == name, f"{kind.__name__}.type is not its name in KINDS"
        assert kind.read(made.recorded(), bounded=True) == made
