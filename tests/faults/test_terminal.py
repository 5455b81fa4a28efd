"""The terminal of these tests shows a frame when it is whole, however a read cuts it."""

from __future__ import annotations

import pytest

from tests.faults.terminal import Frames

FRAMES = [
    b"\x1b[?2026h\x1b[Hone\x1b[2;1HONE\x1b[?2026l",
    b"\x1b[?2026h\x1b[Htwo\x1b[2;1HTWO\x1b[?2026l",
    b"\x1b[3;1Hend",
]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 11, 100])
def test_a_frame_is_shown_when_it_is_whole(piece: int) -> None:
    frames, whole = Frames((10, 3)), b"".join(FRAMES)
    seen = []
    for at in range(0, len(whole), piece):
        frames.feed(whole[at : at + piece])
        shown = "".join(row.strip() for row in frames.screen.display)
        if shown[:6] not in seen:
            seen.append(shown[:6])
    assert set(seen) <= {"", "oneONE", "twoTWO"} and seen[-1] == "twoTWO"
    assert frames.screen.display[2].strip() == "end", "what is written without a frame is shown at once"


def test_a_frame_that_never_ends_is_never_shown() -> None:
    frames = Frames((10, 3))
    frames.feed(b"before\x1b[?2026h\x1b[Hafter ")
    assert frames.screen.display[0].strip() == "before"
    frames.feed(b"\x1b[?2026l")
    assert frames.screen.display[0].strip() == "after"
