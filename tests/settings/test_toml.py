"""T18, T21b, and the group `config` of hostile input: every key has a place, nothing hostile costs time."""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import toml

TEXT = b"""\
# a comment with [brackets] and = signs
top = 1
[x.y]
b = {c = 1, "d e".f = [1, {g=2}]}
"q\\u0041" = \"\"\"
[not]
k = 3
\"\"\"
s = 'it''' # c
[[t]]
n = 1
[[t]]
n = 2
[t.u]
v = [
  1, # ]
  "[", { w = 3 },
]
"""


def test_every_key_has_its_line_and_column() -> None:
    places = toml.parse(TEXT.replace(b"'''", b"'"), "f").places
    assert places == {
        ("top",): (2, 1),
        ("x",): (3, 1),
        ("x", "y"): (3, 1),
        ("x", "y", "b"): (4, 1),
        ("x", "y", "b", "c"): (4, 6),
        ("x", "y", "b", "d e"): (4, 13),
        ("x", "y", "b", "d e", "f"): (4, 13),
        ("x", "y", "b", "d e", "f", 1, "g"): (4, 28),
        ("x", "y", "qA"): (5, 1),
        ("x", "y", "s"): (9, 1),
        ("t",): (10, 1),
        ("t", 0): (10, 1),
        ("t", 0, "n"): (11, 1),
        ("t", 1): (12, 1),
        ("t", 1, "n"): (13, 1),
        ("t", 1, "u"): (14, 1),
        ("t", 1, "u", "v"): (15, 1),
        ("t", 1, "u", "v", 2, "w"): (17, 10),
    }


def paths_of(value: Any, at: toml.Path = ()) -> set[toml.Path]:
    """Every key of parsed data, as a path."""
    if isinstance(value, dict):
        found = {(*at, key) for key in value}
        return found.union(*(paths_of(item, (*at, key)) for key, item in value.items()))
    if isinstance(value, list):
        return set().union(*(paths_of(item, (*at, index)) for index, item in enumerate(value)))
    return set()


def test_our_own_files_have_a_place_for_every_key_that_tomllib_finds() -> None:
    root = Path(__file__).parents[2]
    files = [*root.glob("config/*.toml"), *root.glob("themes/*.toml"), root / "pyproject.toml"]
    assert len(files) > 6
    for file in files:
        text = file.read_text()
        keys = paths_of(tomllib.loads(text))
        missing = {path for path in keys if path not in toml.locate(text, str(file))}
        assert not missing, f"{file.name}: {missing}"


@given(
    st.recursive(
        st.integers(-(2**40), 2**40) | st.booleans() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=12,
    )
)
def test_places_agree_with_the_data_for_what_tomlkit_writes(value: Any) -> None:
    import tomlkit

    text = tomlkit.dumps({"v": value})
    document = toml.parse(text.encode(), "f")
    assert document.tree == tomllib.loads(text)
    assert paths_of(document.tree) <= set(document.places)


@given(st.binary(max_size=200) | st.text(alphabet="ab.=[]{}\"'\\\n#, 1", max_size=200).map(str.encode))
def test_any_bytes_are_a_document_or_a_settings_error(data: bytes) -> None:
    try:
        toml.parse(data, "f")
    except SettingsError as error:
        assert str(error).startswith("f") and str(error).isprintable()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x=" + b"[" * 5_000, "f:1:51: brackets are nested more than 48 deep"),  # CONF-022
        (b"#" * 100_000_000, "f:1: is larger than 512 KiB, the limit"),  # CONF-024
        (b"[a]\n[a]\n", "f:2:3: Cannot declare a twice"),  # CONF-026
        (b"a = 1\n" + b".".join([b"a"] * 20_000) + b" = 1", "f:2:65: a key has more than 32 parts"),  # T18
        (b"".join(b"k%d.a.a.a.a.a = 1\n" % n for n in range(11_000)), "there are more than 60,000 keys"),
        (b"a=1\nb = '\xff'", "f:2:6: isn't valid UTF-8"),
        (b"a=1\nb=" + b"9" * 5_000, "f:2: a number has too many digits"),
        (b"a = ", "f:1: Invalid value"),
        (b"a = 1\nb = [1,\n", "f:3: Invalid value"),
        (b"{a=" * 40, "f:1:1: Invalid statement"),
        (b"a=" + b"{a.b.c.d=" * 30 + b"1" + b"}" * 30, "a key and its tables have more than 64 parts"),
    ],
)
def test_hostile_text_is_refused_at_its_line_in_no_time(data: bytes, said: str) -> None:
    begun = time.process_time()
    with pytest.raises(SettingsError) as caught:
        toml.parse(data, "f")
    assert time.process_time() - begun < 1
    assert said in str(caught.value)


def test_a_large_file_of_many_keys_on_one_line_is_read_in_a_second() -> None:
    data = b"x={" + b",".join(b"a%d=1" % number for number in range(50_000)) + b"}"
    begun = time.process_time()
    assert len(toml.parse(data, "f").places) == 50_001
    assert time.process_time() - begun < 1.5


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(SettingsError, match="can't be read: it isn't a regular file"):
            toml.read(str(tmp_path / name))
    assert toml.read(str(tmp_path / "missing")) is None
    assert toml.read(str(tmp_path / "pipe" / "below")) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("true", True),
        ("local/llama-3", "local/llama-3"),
        ("[1, 2]", [1, 2]),
        ('"q"', "q"),
        ("12:30:00", "12:30:00"),
        ("1\nb = 2", "1\nb = 2"),
        ("", ""),
        ("{a = 1}", {"a": 1}),
    ],
)
def test_s5_values_are_toml_and_a_bare_word_is_a_string(text: str, value: object) -> None:
    assert toml.parse_value(text, "--cfg") == value


def test_s5_what_begins_like_toml_and_is_none_is_an_error() -> None:
    for text in ("[1", "{a", '"open'):
        with pytest.raises(SettingsError, match="isn't a valid TOML value"):
            toml.parse_value(text, "--cfg")


def test_keys_may_have_quoted_parts() -> None:
    assert toml.parse_key("conversation.tools.'*'.run", "--cfg") == ("conversation", "tools", "*", "run")
    for text in ("", "a..b", "a b", ".a", "a."):
        with pytest.raises(SettingsError, match="isn't a valid key"):
            toml.parse_key(text, "--cfg")
