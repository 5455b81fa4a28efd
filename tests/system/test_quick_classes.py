"""Data classes that are made quickly behave as those of Python: the same module is run twice, before and after."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

from tests.limits import LIMIT

SOURCE = '''
import pickle, copy
from dataclasses import InitVar, dataclass, field, replace, fields, asdict
from typing import ClassVar

@dataclass
class Plain:
    a: int
    b: str = "x"
    c: list[int] = field(default_factory=list)

@dataclass(frozen=True)
class Frozen:
    a: int
    hidden: int = field(default=0, repr=False, compare=False)

@dataclass(frozen=True, slots=True)
class Slotted:
    """Words."""
    a: float
    b: object = None
    kind: ClassVar[int] = 3

@dataclass(frozen=True, slots=True)
class Empty:
    pass

@dataclass(order=True, unsafe_hash=True)
class Ordered:
    a: int
    b: int = 0

@dataclass(eq=False)
class Same:
    a: int

@dataclass(kw_only=True)
class Written:
    a: int
    def __eq__(self, other): return True
    def __repr__(self): return "written"

@dataclass(frozen=True)
class Child(Frozen):
    z: int = 9

class Open(Frozen):
    """Takes attributes of its own, but not the fields."""

@dataclass
class Calls(Plain):
    def __init__(self, a):
        super().__init__(a, c=[a])

@dataclass
class After:
    a: int
    b: int = field(init=False)
    c: InitVar[int] = 4
    def __post_init__(self, c):
        self.b = self.a + c

class Twice(After):
    """Its first instance may be the first of both."""

def misordered():
    @dataclass
    class Wrong:
        a: int = 1
        b: int
    return Wrong

def outcome(work):
    try:
        return repr(work())
    except Exception as error:
        return f"{type(error).__module__}.{type(error).__name__}: {error}"

def everything():
    nan = float("nan")
    knot = Plain(1)
    knot.c.append(knot)
    def opened():
        one = Open(1)
        one.more = 5
        del one.more
        return vars(one)
    works = [
        lambda: (Plain(1), Frozen(2, 3), Slotted(1.5, "y"), Empty(), Ordered(1), Written(a=4), Child(1, 2, 3), knot),
        lambda: (Plain(1) == Plain(1), Plain(1) == Plain(2), Plain(1) == Ordered(1), Plain(1) != Plain(1)),
        lambda: (Frozen(1, 5) == Frozen(1, 6), Frozen(1) == Child(1), Child(1) == Child(1), Same(1) == Same(1)),
        lambda: (Slotted(nan) == Slotted(nan), Slotted(1.0) == Slotted(1), Slotted(1) == 1, Empty() == Empty()),
        lambda: (Plain(1).__eq__(3), Empty().__eq__(Plain(1))),
        lambda: hash(Plain(1)),
        lambda: (hash(Frozen(1, 5)) == hash((1,)), hash(Slotted(1, "a")) == hash((1, "a")), hash(Empty()) == hash(())),
        lambda: (hash(Ordered(1, 2)) == hash((1, 2)), hash(Child(1, 2, 3)) == hash((1, 3))),
        lambda: hash(Slotted(1, [])),
        lambda: (Ordered(1) < Ordered(2), Ordered(1, 2) >= Ordered(1, 3), sorted([Ordered(2), Ordered(1)])),
        lambda: Ordered(1) < Plain(1),
        lambda: setattr(Frozen(1), "a", 2),
        lambda: setattr(Frozen(1), "other", 2),
        lambda: delattr(Frozen(1), "a"),
        lambda: setattr(Open(1), "a", 2),
        lambda: delattr(Open(1), "hidden"),
        opened,
        lambda: setattr(Slotted(1), "b", 2),
        lambda: delattr(Slotted(1), "b"),
        lambda: (replace(Slotted(1), b=2), asdict(Plain(1)), copy.deepcopy(Slotted(1, [2])), copy.copy(Frozen(1))),
        lambda: (pickle.loads(pickle.dumps(Slotted(1, 2))), pickle.loads(pickle.dumps(Frozen(1)))),
        lambda: [(f.name, f.repr, f.compare) for f in fields(Frozen)],
        lambda: [c.__doc__ for c in (Slotted, Twice)],
        lambda: [c.__match_args__ for c in (Plain, Frozen, Slotted, Empty, Written)],
        lambda: [(m.__qualname__, m.__name__) for m in (Slotted.__eq__, Frozen.__repr__, Frozen.__hash__,
                                                        Frozen.__setattr__, Child.__delattr__, Plain.__init__)],
        lambda: Slotted(),
        lambda: Slotted(1, 2, 3),
        lambda: Slotted(1, wrong=2),
        lambda: (Calls(2), Twice(1), Twice(a=1, c=2), After(5, 6), type(After.__init__) is type(Twice.__init__)),
        misordered,
    ]
    return [outcome(work) for work in works]
'''
RUN = """
import sys, types
sys.path[:0] = sys.argv[1:]
def run(name):
    module = types.ModuleType(name)
    sys.modules["made"] = module
    module.__name__ = "made"
    exec(compile(SOURCE, name, "exec"), module.__dict__)
    return module.everything()
before = run("before")
from jp_tui.system import quick_classes
did = quick_classes.install()
after = run("after")
for one, other in zip(before, after, strict=True):
    assert one == other, f"{one}\\n{other}"
assert len(before) == 30
assert did == (sys.version_info < (3, 13)), did
"""


def test_they_do_and_say_the_same() -> None:
    root = str(__import__("jp_tui").__path__[0]).rpartition("/")[0]
    code = f"SOURCE = {SOURCE!r}\n{RUN}"
    done = subprocess.run(
        [sys.executable, "-c", code, root], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr


LATER = """
import dataclasses, sys
sys.path[:0] = sys.argv[1:]
from jp_tui.system import quick_classes
quick_classes.install()
made = []
create = dataclasses._create_fn
dataclasses._create_fn = lambda name, *rest, **more: made.append(name) or create(name, *rest, **more)

@dataclasses.dataclass(frozen=True, slots=True)
class One:
    a: int

@dataclasses.dataclass(frozen=True, slots=True)
class Two(One):
    b: int = 0

assert not made, made
assert [Two(1), Two(2), One(3)] and made == ["__init__"] * 2, made
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="left alone")
def test_nothing_is_compiled_before_the_first_instance() -> None:
    root = str(__import__("jp_tui").__path__[0]).rpartition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", LATER, root], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr


def test_another_python_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from jp_tui.system import quick_classes

    other = types.SimpleNamespace(_repr_fn=lambda fields: None)
    monkeypatch.setattr(quick_classes, "dataclasses", other)
    assert not quick_classes.install()
    assert list(vars(other)) == ["_repr_fn"]
