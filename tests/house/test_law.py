"""Every rule that code, tests and documents cite by number exists in docs/spec, once."""

from __future__ import annotations

import pytest

from tests.house import law
from tests.house.sources import ROOT, ours

SPEC = ROOT / "docs" / "spec"
RULES = "docs/spec/README.md says how rules are numbered"


def pages() -> dict[str, str]:
    """The text of every page of docs/spec by its name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(SPEC.glob("*.md"))}


def rules() -> set[str]:
    """Every number that is defined."""
    return {found.rule for text in pages().values() for found in law.defined(text)}


def test_every_number_is_defined_once_in_bold_and_on_its_page() -> None:
    places: dict[str, list[str]] = {}
    for name, text in pages().items():
        for found in law.defined(text):
            places.setdefault(found.rule, []).append(f"docs/spec/{name}:{found.line}")
            home = law.PAGES.get(law.letters(found.rule), name)
            assert name == home, f"docs/spec/{name}:{found.line}: {found.rule} belongs on {home}; {RULES}"
        wrong = [f"docs/spec/{name}:{found.line}: {found.rule}" for found in law.irregular(text)]
        assert not wrong, f"not in bold: {wrong}; {RULES}"
    twice = {rule: found for rule, found in places.items() if len(found) > 1}
    assert not twice, f"defined more than once: {twice}; {RULES}"
    assert {law.letters(rule) for rule in places} == {*law.PAGES, "Z"}


def test_every_number_that_code_and_tests_cite_exists() -> None:
    known, wrong = rules(), []
    for source in ours("jp_tui", "tests"):
        wrong += [
            f"{source.name}:{found.line}: {found.rule}"
            for found in law.cited_in_python(source.text)
            if found.rule not in known
        ]
    assert not wrong, f"no page of docs/spec has these rules: {wrong}"


def test_every_number_that_data_and_documents_cite_exists() -> None:
    known, wrong = rules(), []
    data = [path for folder in ("config", "themes") for path in (ROOT / folder).rglob("*.toml")]
    texts = [*ROOT.glob("*.md"), *SPEC.rglob("*.md")]
    for path in sorted((*data, *texts)):
        read = law.cited_in_toml if path.suffix == ".toml" else law.cited_in_markdown
        found = read(path.read_text(encoding="utf-8"))
        wrong += [f"{path.relative_to(ROOT)}:{one.line}: {one.rule}" for one in found if one.rule not in known]
    assert not wrong, f"no page of docs/spec has these rules: {wrong}"


def test_the_pages_name_nothing_outside_the_repository() -> None:
    for name, text in pages().items():
        for outside in ("../shared", "shared/spec", "amendments.md", "/" + "work"):
            assert outside not in text, f"docs/spec/{name}: {outside}"


@pytest.mark.parametrize(
    ("source", "cited"),
    [
        ('"""Why (R12)."""', "R12:1"),
        ('"""Z19."""', "Z19:1"),
        ('r"""One.\n\nTwo, R141-R143 and R121, R122; V7,\nV10.\n"""', "R141:3 R143:3 R121:3 R122:3 V7:3 V10:4"),
        ("x = 1  # spec R97b, surface S20b's table; T1–T3", "R97b:1 S20b:1 T1:1 T3:1"),
        ('MOST = 3\n"""The bound (V18)."""', "V18:2"),
        ('class Sheet:\n    """E1/E2."""\n', "E1:2 E2:2"),
        ("def test_r136_and_z19_hold():\n    pass", "R136:1 Z19:1"),
        ("async def test_what_r97b() -> None: ...", "R97b:1"),
        ("class Test_S40: ...", "S40:1"),
        ("def test_ar13_and_r1(): ...  # AR14, not R15", "AR13:1 R1:1 AR14:1 R15:1"),
        ("x = y  # noqa: E999\nz = 1  # R12 # noqa: E999", "R12:2"),
    ],
)
def test_a_citation_is_found_with_its_line(source: str, cited: str) -> None:
    assert " ".join(f"{one.rule}:{one.line}" for one in law.cited_in_python(source)) == cited


@pytest.mark.parametrize(
    "source",
    [
        'KEY = "R999"',
        'call("see R999", E999=1)\nR999 = S999.V999',
        "def rule_r999(): ...\n\n\ndef test_e2e_of_utf8_and_x86(): ...",
        "x = lambda: 1  # noqa: E999",
        "y = x  # type: ignore[T999]",
        '"""C0 controls, U+E0041, `R999`, "S999", ``V999 or `T999` ``, TERM-1, TEST-R999, key F1, V1.999, #E999."""',
        '"""The colour #E99999, \\\\R999, x.R999, R999_1, SR999, D29, X12 and \'M999\'."""',
        '"""A span `of code that\nends with R999` in the next line."""',
    ],
)
def test_what_is_no_citation_is_left_alone(source: str) -> None:
    assert not list(law.cited_in_python(source))


def test_only_comments_of_toml_are_read() -> None:
    source = '# (R60, R61)\ncolour = "#E99999"  # S10\nname = "R999"\n[R999]\nother = "a #R999"'
    assert [(found.rule, found.line) for found in law.cited_in_toml(source)] == [("R60", 1), ("R61", 1), ("S10", 2)]


def test_only_text_of_markdown_is_read() -> None:
    source = "R1 and `R999`\n\n```toml\nR999 = 1\n```\n- **Z18** text\n| M3 | R2 |\n  ```json\n  R999\n  ```\nR3"
    assert [(found.rule, found.line) for found in law.cited_in_markdown(source)] == [
        ("R1", 1), ("Z18", 6), ("M3", 7), ("R2", 7), ("R3", 11),
    ]  # fmt: skip


def test_a_definition_is_in_bold_and_other_forms_are_noticed() -> None:
    page = "- **R1** One, **Z2** changed it (R3).\n1. **R4** Two\n| **M5a** | text |\n`**R6**`\n"
    assert [(found.rule, found.line) for found in law.defined(page)] == [("R1", 1), ("Z2", 1), ("R4", 2), ("M5a", 3)]
    assert not law.irregular(page + "R7 in text\n- Z8's second half\n")
    odd = "- R1 One\n  - R2: two\n1. R3 three\n| M5a | text |\n|M6 | text |\n"
    assert [found.rule for found in law.irregular(odd)] == ["R1", "R2", "R3", "M5a", "M6"]
