"""Issue 4 "Bad input": files that are no configuration end in one clear error, at once, whatever is in them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[ui]\nsidbar = 'hide'\n", ":2:1: ui.sidbar: isn't a valid key. Did you mean ui.sidebar?"),
        (b"x = 1\n" * 900_000, ":1: is larger than 512 KiB, the limit"),
        (b"#" * 5 * 1024 * 1024, ":1: is larger than 512 KiB, the limit"),
        (b"a." * 20_000 + b"a = 1\n", ": a key has more than 32 parts"),
        (b"[" + b"a." * 20_000 + b"a]\n", ": a key has more than 32 parts"),
        (b"x = { " + b"a." * 20_000 + b"a = 1 }\n", ": a key has more than 32 parts"),
        (b"x = " + b"[" * 500 + b"]" * 500 + b"\n", ":1:53: brackets are nested more than 48 deep"),
        (b"x = " + b"{a=" * 500 + b"1" + b"}" * 500 + b"\n", ": brackets are nested more than 48 deep"),
        (b"[ui]\ntheme = 'a'\ntheme = 'b'\n", ":3:"),
        (b"[ui]\ntheme = 'a'\n[ui]\n", ":3:"),
        (b"ui = { theme = 'a', theme = 'b' }\n", ":1:"),
        (b"inquiry.max_attempts = " + b"9" * 5_000, ": a number has too many digits"),
        (b"\xef\xbb\xbf[ui]\nthem = 1\n", ":2:1: ui.them: isn't a valid key"),
        (b"ui.theme = 'caf\xe9'\n", ":1:16: isn't valid UTF-8"),
        (b"\x00" * 100, ":1:"),
        (b"ui = 'x\n", ':2: Expected "\'"'),
        ("ui.theme = '\ud800'".encode("utf-8", "surrogatepass"), "isn't valid UTF-8"),
        (b"<<<<<<< HEAD\nui.theme = 'a'\n=======\n", ":1:"),
    ],
)
def test_every_kind_of_broken_file(tmp_path: Path, data: bytes, said: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(data)
    begun = time.process_time()
    with pytest.raises(SettingsError) as caught:
        layers.from_file("user", str(file))
    assert time.process_time() - begun < 1
    assert str(caught.value).startswith(str(file)) and said in str(caught.value)
    assert str(caught.value).replace("\n", "").isprintable() and len(str(caught.value)) < 2_000


def test_what_is_no_file(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for odd in (tmp_path, fifo, Path("/dev/null"), Path("/dev/zero")):
        with pytest.raises(SettingsError, match="can't be read"):
            layers.from_file("user", str(odd))
    assert layers.from_file("user", str(tmp_path / "missing" / "config.toml")) is None
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SettingsError, match="can't be read"):
        layers.from_file("user", str(tmp_path / "loop"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("")
    file.chmod(0)
    with pytest.raises(SettingsError, match="can't be read: Permission denied"):
        layers.from_file("user", str(file))


def test_a_thousand_problems_are_counted_and_not_all_told(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("".join(f"k{n} = 1\n" for n in range(1_000)))
    with pytest.raises(SettingsError) as caught:
        layers.from_file("user", str(file))
    assert len(caught.value.problems) == 101 and "and 900 more" in str(caught.value)
