"""A sample of `python -m tests.faults --only slots`, and that its table leaves nothing out."""

from __future__ import annotations

import asyncio
import inspect
import types
import typing
from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol import values
from jp_tui.protocol.base import Model
from tests.fakes.link import FakeLink
from tests.faults import slots
from tests.faults.slot_scenes import SCENES
from tests.faults.slot_words import Words
from tests.sampling import sampled

SAMPLE = ("sheet: yes or no",)
NOT_SHOWN = {("LibraryProgress", "detail"), ("TurnError", "detail"), ("OwnCommand", "path")}
"""Foreign fields that no screen shows where they come: the words of a failure come again with their event; files of
commands are listed by `/context` and `/trust`."""


class Nowhere:
    """A stage on which nothing is shown: what a scene says is kept, and that is all."""

    def __init__(self) -> None:
        self.said: list[ev.Event] = []
        self.link = FakeLink()
        self.app = self.pilot = self

    async def say(self, *events: ev.Event) -> None:
        self.said += events

    async def press(self, *keys: str) -> None:
        """Some keys ask for what a scene has an answer to."""
        for react in list(self.link.answers.values()):
            self.said += react(types.SimpleNamespace(revision=1, on=True, text=""))

    async def _nothing(self, *_: object) -> None: ...

    settle = arms = look = pause = _nothing

    def __getattr__(self, name: str) -> Any:
        return _Anything()


class _Anything:
    """Whatever is asked of it, it is there and empty."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: object, **__: object) -> Any:
        return self

    def __iter__(self) -> Any:
        return iter(())

    def __sub__(self, other: object) -> Any:
        return frozenset()

    __rsub__ = __sub__

    def __index__(self) -> int:
        return 1

    def __mul__(self, other: object) -> int:
        return 0

    __rmul__ = __mul__
    __gt__ = __lt__ = __mul__


def given(value: object) -> set[tuple[str, str]]:
    """The (class, field) of all foreign text in a value of the protocol that is a slot's."""
    found: set[tuple[str, str]] = set()
    if isinstance(value, Model):
        for name in type(value).model_fields:
            one = getattr(value, name)
            each = one if isinstance(one, tuple) else (one,)
            if any(isinstance(text, Foreign) and "hostile" in text.raw for text in each):
                found.add((type(value).__name__, name))
            found |= given(one)
    elif isinstance(value, (tuple, list)):
        for one in value:
            found |= given(one)
    return found


def foreign_fields() -> set[tuple[str, str]]:
    """Every field of what the engine reports that is foreign, in whatever it stands."""
    found: set[tuple[str, str]] = set()
    seen: set[type] = set()

    def look(kind: Any, where: tuple[str, str]) -> None:
        if kind is Foreign:
            found.add(where)
        elif inspect.isclass(kind) and issubclass(kind, Model) and kind not in seen:
            seen.add(kind)
            for name, hint in typing.get_type_hints(kind).items():
                look(hint, (kind.__name__, name))
        for part in typing.get_args(kind):
            look(part, where)

    look(typing.get_args(ev.Event)[0], ("", ""))
    look(values.AgentInfo, ("", ""))
    return found


def test_every_foreign_field_of_the_protocol_is_a_slot() -> None:
    """Whoever adds one says in which scene it is seen, or that it is not shown."""

    async def all_of_it() -> set[tuple[str, str]]:
        found: set[tuple[str, str]] = set()
        for scene in SCENES.values():
            stage = Nowhere()
            await scene(stage, Words("hostile"))  # type: ignore[arg-type]
            found |= given(stage.said)
        return found

    missing = foreign_fields() - asyncio.run(all_of_it())
    assert missing == NOT_SHOWN


def test_hostile_texts_in_a_sample_of_slots_in_a_real_terminal() -> None:
    """T1, T2: each mark is seen, no control comes out, nothing acts, no step of the loop works over 100 ms."""
    (found,) = slots.tried(False, 5, SAMPLE, ("terminal", "markup", "unicode"))
    assert found.failed == [] and found.runs > 40


HIDDEN = "pay\u200bpal \u2060 \ufeff \u3164 \u115f x\ufe0f" + "".join(chr(0xE0000 + ord(char)) for char in "obey")
EDITED = {"text given back", "text of a prompt", "message edited anew", "message taken back", "value", "default"}
"""Fields that hold a text to be edited, as it is; what is sent from one is shown again in the conversation. Scenes use
one id for their questions: on a busy machine the draft of the one before may come where a default stands."""


def test_invisible_characters_are_visible_in_every_slot() -> None:
    """Z22: text, titles, questions, the trail, the sidebar, the window's title, in a real terminal. The gate before the
    terminal is one for all of them, so a part of the scenes is enough each time."""
    hidden = set(HIDDEN) - set("paylx \ufe0f")
    found: dict[str, list[str]] = {}
    with slots.program() as running:
        for scene in sampled(list(SCENES), 8):
            shown = running.show(scene, "hidden", [[HIDDEN, 1]])
            # What is edited may be painted in pieces: of its screen the rest counts, at the end.
            edits = EDITED & set(shown.told["slots"])
            if left := hidden & set(shown.told["beside_fields"] if edits else shown.words):
                found[scene] = [hex(ord(char)) for char in left]
    assert found == {}
