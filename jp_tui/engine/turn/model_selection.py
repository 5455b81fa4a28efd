"""Model of a conversation, and of its next turn: switched between turns, never within one (issue "Models and usage").

A permanent switch is a settings change of the conversation (inquiries.md R67); one for a single turn isn't stored.
Connections of unused models are closed with the conversation.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.model import EffortChoice
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.asking.side_questions import SideModel
from jp_tui.engine.base.dependencies import ModelFacts, ModelSetup
from jp_tui.engine.record.config_changes import laid_over
from jp_tui.engine.record.log import Log, window_of
from jp_tui.protocol.usage import ModelSwitched


class ModelSelection:
    """Models of one conversation."""

    def __init__(self, log: Log, model: ModelSetup) -> None:
        self._log, self._model = log, model
        log.window = window_of(log, model)
        self._once: ModelSetup | None = None
        self._was_once = False
        self._spent: list[ModelSetup] = []
        self.side = SideModel(log.setup.open_inquiry_model, model)

    @property
    def window(self) -> int | None:
        """Return the current model's context in tokens, if known."""
        return window_of(self._log, self._model)

    @property
    def held(self) -> ModelSetup:
        """Return the model that the conversation is held with."""
        return self._model

    @property
    def facts(self) -> ModelFacts:
        """Of the one that is asked next."""
        model = self._once or self._model
        return ModelFacts(model.id, model.window, model.system)

    @property
    def images(self) -> bool | None:
        """True if the next model accepts images; None if unknown."""
        return (self._once or self._model).images

    async def effort(self) -> EffortChoice:
        """Return the effort of the next turn."""
        await self._log.deltas()
        return self._effort(self._once or self._model)

    def _effort(self, model: ModelSetup) -> EffortChoice:
        found = self._log.effort_for(model)
        return "default" if found is None else found.level

    async def switch(self, model: ModelSetup, *, once: bool, effort: EffortChoice | None = None) -> None:
        """Switch from the next turn on, or for it alone; without `effort` that stays. Raises JournalError without
        a change."""
        log = self._log
        await log.deltas()
        if once:
            if effort is not None:
                model = replace(model, effort=model.thinking(effort), for_once=True)
            self._drop(self._once)
            self._once = model
        else:
            if log.exists:
                await log.setup.journal.set_model(log.id, model.id)
            self._drop(self._once)
            self._drop(self._model)
            self._model, self._once = model, None
            changed: JsonObject = {"id": model.id} if effort is None else {"id": model.id, "effort": effort}
            delta = laid_over(log.setup.config_delta, {"assistant": {"model": changed}})
            assert isinstance(delta, dict)
            log.setup = replace(log.setup, config_delta=delta)
            self._spent += self.side.opened
            self.side = SideModel(log.setup.open_inquiry_model, model)
        self._report(model, once=once)

    def next(self) -> ModelSetup:
        """Return the model for the starting turn."""
        model, once = self._once or self._model, self._once
        self._once, self._was_once = None, once is not None
        self._drop(once)
        self._log.held_with(model.id, window_of(self._log, model))
        return model

    def ended(self) -> None:
        """End a turn; after one with another model, report that the next has the conversation's."""
        was, self._was_once = self._was_once, False
        if was and self._once is None:
            self._log.held_with(self._model.id, self.window)
            self._report(self._model, once=False)

    def _report(self, model: ModelSetup, *, once: bool) -> None:
        window, id_ = window_of(self._log, model), self._log.id
        effort = self._effort(model)
        self._log.publish(ModelSwitched(conversation=id_, model=model.id, window=window, once=once, effort=effort))

    def _drop(self, model: ModelSetup | None) -> None:
        if model is not None:
            self._spent.append(model)

    async def close(self) -> None:
        """Close all connections."""
        self._drop(self._once)
        providers = {id(one.provider): one.provider for one in (*self._spent, self._model, *self.side.opened)}
        for provider in providers.values():
            await provider.close()
