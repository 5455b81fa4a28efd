"""Strips make their caches when they are asked for (T21, issue 9 "a day of work"): they look and act as before."""

from __future__ import annotations

import sys

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome
from textual.strip import Strip

from jp_tui.ui import textual_patches
from jp_tui.ui.textual_patches import strips


def made() -> Strip:
    return Strip([Segment("a wide 日本 row", Style(bold=True)), Segment(" of two", Style(dim=True))], 22)


def test_it_is_in_place() -> None:
    assert textual_patches.problem("strips") == ""


def test_a_new_strip_holds_no_cache_and_makes_each_once() -> None:
    strip = made()
    for name in strips._SIZES:
        with pytest.raises(AttributeError):
            object.__getattribute__(strip, name)
    assert strip._crop_cache is strip._crop_cache
    assert sum(sys.getsizeof(getattr(strip, name)) for name in strips._OTHERS) < 600
    with pytest.raises(AttributeError, match="_nothing"):
        strip._nothing  # noqa: B018


def test_whatever_is_done_with_a_strip_is_done_and_kept() -> None:
    strip = made()
    assert strip.crop(2, 9) is strip.crop(2, 9)
    assert strip.crop(2, 9).text == "wide 日"
    assert [part.text for part in strip.divide([4, 22])] == ["a wi", "de 日本 row of two"]
    assert strip.crop_extend(0, 30, None).cell_length == 30
    assert strip.extend_cell_length(25).cell_length == strip.adjust_cell_length(25).cell_length == 25
    assert strip.apply_style(Style(italic=True)).text == strip.text == "a wide 日本 row of two"
    assert strip.apply_filter(Monochrome(), Color(0, 0, 0)).text == strip.text
    assert strip.apply_offsets(0, 3)._segments[0].style.meta["offset"] == (0, 3)
    assert strip == made() and strip.simplify().text == strip.text


def test_a_strip_that_is_cut_into_itself_is_let_go_without_a_collection() -> None:
    strip = made()
    before = sys.getrefcount(strip)
    assert all(list(strip.divide(cuts)) == [strip] for cuts in ([22], [22, 40]))
    assert sys.getrefcount(strip) == before
    assert strip.divide([30]) == [] and strip.divide([4, 22]) is strip.divide([4, 22])
