"""The event-stream decoder (T19): WHATWG's rules, and the same events however the bytes are cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.model import ModelError
from jp_tui.providers.sse import EventStream, ServerEvent


def events(*chunks: bytes) -> list[ServerEvent]:
    stream = EventStream()
    return [event for chunk in chunks for event in stream.feed(chunk)]


def data(*chunks: bytes) -> list[str]:
    return [event.data for event in events(*chunks)]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"data: a\n\n", ["a"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"data: a\r\rdata: b\r\n\r\ndata: c\n\n", ["a", "b", "c"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", []),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"]),
        (b"data: a\ndata: b\ndata\ndata:\n\n", ["a\nb\n\n"]),
        (b"data\n\n", [""]),
        (b"event: x\n\n", []),
        (b": comment\n:\ndata: a\n: b\n\n", ["a"]),
        (b"data: a", []),
        (b"data: a\n", []),
        (b"dataa: b\nData: c\n data: d\n\n", []),
        ("data: a\u2028b\u2029c\u0085d\x0b\x0c\x1ce\n\n".encode(), ["a\u2028b\u2029c\u0085d\x0b\x0c\x1ce"]),
        ("data: 日本🙂\n\n".encode(), ["日本🙂"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        (b"\n\n\ndata: a\n\n\n\n", ["a"]),
        (b"data: a:b: c\n\n", ["a:b: c"]),
    ],
)
def test_t19_whatwg(raw: bytes, expected: list[str]) -> None:
    assert data(raw) == expected
    assert data(*(raw[at : at + 1] for at in range(len(raw)))) == expected


def test_type_id_and_retry() -> None:
    stream = EventStream()
    raw = b"event: a\nid: 1\nretry: 50\ndata: x\n\ndata: y\nid: \x00bad\nretry: 5s\n\nid\ndata: z\n\n"
    assert stream.feed(raw) == [
        ServerEvent("x", "a", "1"),
        ServerEvent("y", "message", "1"),
        ServerEvent("z", "message", ""),
    ]
    assert stream.retry == 50


def test_a_crlf_cut_in_two_is_one_line_end() -> None:
    assert data(b"data: a\r", b"\ndata: b\r", b"", b"\n\r", b"\n") == ["a\nb"]
    assert data(b"data: a\r", b"\r", b"data: b\n\n") == ["a", "b"]


fields = st.sampled_from(
    [
        b"data: ",
        b"data:",
        b"data",
        b"event: x",
        b"id: 7",
        b": c",
        b"retry: 9",
        "é🙂".encode(),
        b"\xef\xbb\xbf",
        b"{",
        b"\xff",
    ]
)
ends = st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n", b"", b"\n\r"])


@given(st.lists(st.tuples(fields, ends)), st.lists(st.integers(0, 200)))
def test_any_split_gives_the_same_events(lines: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    raw = b"".join(name + end for name, end in lines)
    marks = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    assert events(raw) == events(*(raw[a:b] for a, b in itertools.pairwise(marks)))


@given(st.binary(max_size=300), st.integers(0, 300))
def test_any_bytes_split_anywhere(raw: bytes, cut: int) -> None:
    assert events(raw) == events(raw[:cut], raw[cut:])


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 40, b"x" * 40, b"data: x\n", b"data:\n"])
def test_an_endless_event_is_bounded(piece: bytes) -> None:
    stream = EventStream(max_event=1000)
    with pytest.raises(ModelError) as caught:
        for _ in range(2000):
            stream.feed(piece)
    assert caught.value.kind == "too_large"


def test_many_events_are_not_one_large_one() -> None:
    stream = EventStream(max_event=100)
    assert sum(len(stream.feed(b"data: " + b"x" * 50 + b"\n\n")) for _ in range(100)) == 100


def test_data_that_is_no_utf8_is_replaced_and_said_so() -> None:
    """WHATWG; a comment or a character that is cut between two chunks is no fault."""
    for raw, garbled in (
        (b"data: \xff\n\n", True),
        (b": \xff\ndata: a\n\n", False),
        ("data: \ufffd\n\n".encode(), False),
    ):
        stream = EventStream()
        stream.feed(raw)
        assert stream.garbled is garbled
    stream = EventStream()
    assert [event.data for chunk in (b"data: \xc3", b"\xa9\n\n") for event in stream.feed(chunk)] == ["\u00e9"]
    assert not stream.garbled
