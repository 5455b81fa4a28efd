"""What makes a run of the tests shorter: names of tests are short, and a part of many cases is spread over all."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest

from tests import sampling
from tests.conftest import LONGEST_NAME, pytest_make_parametrize_id


def test_a_long_text_is_not_the_name_of_a_test() -> None:
    """Names go to each worker, stand in each report and in the environment of children."""
    assert pytest_make_parametrize_id("short") is None and pytest_make_parametrize_id(5) is None
    for long in ("x" * 100_000_000, b"\xff" * 10_000):
        named = pytest_make_parametrize_id(long)
        assert named is not None and len(named) < LONGEST_NAME + 20


def test_a_part_is_spread_and_all_are_there_where_all_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESTS_WHOLE", raising=False)
    assert sampling.sampled(range(10), 4) == [0, 4, 8] and sampling.sampled(range(10), 4, 1) == [1, 5, 9]
    monkeypatch.setenv("TESTS_WHOLE", "1")
    assert sampling.sampled(range(10), 4) == list(range(10))


@pytest.mark.parametrize("share", [2, 3, 4])
def test_a_part_of_combinations_has_each_value_of_the_longest_parameter(share: int) -> None:
    """Whichever parameter comes first; and it is the share that is asked for."""
    for sizes in ({"theme": 2, "size": 2, "state": 12}, {"state": 12, "theme": 2, "size": 2}):
        cases = [dict(zip(sizes, at, strict=True)) for at in product(*map(range, sizes.values()))]
        kept = [case for case in cases if sampling.chosen(case, sizes, share)]
        assert {case["state"] for case in kept} == set(range(12)) and len(kept) == len(cases) // share
        assert {(case["theme"], case["size"]) for case in kept} == set(product((0, 1), (0, 1)))


class Case(SimpleNamespace):
    """As much of a collected test as is looked at."""

    __hash__ = object.__hash__

    def get_closest_marker(self, name: str) -> object:
        return sampling.partly(self.share).mark if self.share else None


def test_a_marked_test_runs_a_part_and_a_named_case_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESTS_WHOLE", raising=False)

    def kept(*words: str) -> list[str]:
        many = [
            Case(nodeid=f"t.py::test_{name}[{state}-{size}]", originalname=f"test_{name}", share=share,
                 callspec=SimpleNamespace(params={"state": state, "size": size, "given with it": together[size]}))
            for name, share in (("all", 0), ("some", 2)) for state in "abc" for size in sizes
        ]  # fmt: skip
        items: list[object] = [*many, Case(nodeid="t.py::test_alone", originalname="test_alone", share=4)]
        config = SimpleNamespace(args=words, hook=SimpleNamespace(pytest_deselected=lambda items: None))
        sampling.only_parts(config, items)  # type: ignore[arg-type]
        return [item.nodeid.removeprefix("t.py::test_") for item in items]  # type: ignore[attr-defined]

    sizes = ["small", "large"]
    together = {size: object() for size in sizes}
    alone = ["some[a-small]", "some[b-large]", "some[c-small]", "alone"]
    assert kept("tests")[6:] == alone
    assert len(kept("t.py::test_some[a-large]")) == 13
    monkeypatch.setenv("TESTS_WHOLE", "1")
    assert len(kept("tests")) == 13
