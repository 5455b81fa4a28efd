"""Models, modes and commands that an agent offers in its session (N44). Pure. What isn't understood is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject, text_of

MOST = 500
"""Limit of choices, and of commands."""
_MOST_TEXT = 300
MODE = "mode="
"""`agent/NAME/mode=ID` is a mode, `agent/NAME/ID` a model."""


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """A model or mode. `option` is the session's option that it is a value of; empty where the agent has a method for
    the kind."""

    kind: Literal["model", "mode"]
    id: str
    name: str = ""
    about: str = ""
    option: str = ""
    current: bool = False

    @property
    def suffix(self) -> str:
        """Its name behind `agent/NAME/`."""
        return f"{MODE}{self.id}" if self.kind == "mode" else self.id

    def request(self) -> tuple[str, JsonObject]:
        """Return what selects it: a method, and its params."""
        if self.option:
            return "session/set_config_option", {"configId": self.option, "value": self.id}
        return ("session/set_mode", {"modeId": self.id}) if self.kind == "mode" else (
            "session/set_model", {"modelId": self.id},
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command of the agent: `/NAME:command` here."""

    name: str
    about: str = ""
    hint: str = ""


class AgentOffers:
    """Offers of one session."""

    def __init__(self) -> None:
        self.choices: tuple[AgentChoice, ...] = ()
        self.commands: tuple[AgentCommand, ...] = ()

    def opened(self, result: JsonObject) -> None:
        """Take the reply that opened the session. Options come before the older fields for the same."""
        found = list(_options(result.get("configOptions")))
        kinds = {one.kind for one in found}
        if "mode" not in kinds:
            found += _older("mode", result.get("modes"), "availableModes", "currentModeId", "id")
        if "model" not in kinds:
            found += _older("model", result.get("models"), "availableModels", "currentModelId", "modelId")
        self.choices = tuple(found[:MOST])

    def updated(self, update: JsonObject) -> bool:
        """Take an update; False for one about something else."""
        match update.get("sessionUpdate"):
            case "config_option_update":
                told = tuple(_options(update.get("configOptions")))[:MOST]
                kinds = {one.kind for one in told}
                self.choices = (*told, *(one for one in self.choices if one.kind not in kinds))
            case "current_mode_update":
                self.chosen("mode", str(update.get("currentModeId")))
            case "available_commands_update":
                self.commands = tuple(_commands(update.get("availableCommands")))[:MOST]
            case _:
                return False
        return True

    def chosen(self, kind: Literal["model", "mode"], id_: str) -> None:
        """This one is in use now."""
        self.choices = tuple(replace(one, current=one.id == id_) if one.kind == kind else one for one in self.choices)

    def find(self, kind: Literal["model", "mode"], id_: str) -> AgentChoice:
        """Return the choice with this id; one that isn't offered is asked for in the usual way."""
        known = (one for one in self.choices if one.kind == kind and one.id == id_)
        option = next((one.option for one in self.choices if one.kind == kind), "" if kind == "mode" else "model")
        return next(known, AgentChoice(kind, id_, option=option))


def _options(given: Json) -> Iterator[AgentChoice]:
    for option in given if isinstance(given, list) else ():
        if not isinstance(option, dict) or option.get("type") != "select":
            continue
        kind = option.get("category") if option.get("category") in ("model", "mode") else option.get("id")
        id_ = option.get("id")
        if kind not in ("model", "mode") or not isinstance(id_, str):
            continue
        for one in _flat(option.get("options")):
            if isinstance(value := one.get("value"), str) and value:
                yield AgentChoice(
                    "model" if kind == "model" else "mode",
                    value[:_MOST_TEXT],
                    _text(one, "name"),
                    _text(one, "description"),
                    id_,
                    value == option.get("currentValue"),
                )


def _flat(options: Json) -> Iterator[JsonObject]:
    """Yield options, also those of groups."""
    for one in options if isinstance(options, list) else ():
        if isinstance(one, dict) and isinstance(one.get("options"), list):
            yield from _flat(one["options"])
        elif isinstance(one, dict):
            yield one


def _older(kind: Literal["model", "mode"], state: Json, listed: str, current: str, key: str) -> Iterator[AgentChoice]:
    if not isinstance(state, dict) or not isinstance(given := state.get(listed), list):
        return
    for one in given:
        if isinstance(one, dict) and isinstance(id_ := one.get(key), str) and id_:
            yield AgentChoice(
                kind, id_[:_MOST_TEXT], _text(one, "name"), _text(one, "description"), "", id_ == state.get(current)
            )


def _commands(given: Json) -> Iterator[AgentCommand]:
    for one in given if isinstance(given, list) else ():
        name = one.get("name") if isinstance(one, dict) else None
        if isinstance(one, dict) and isinstance(name, str) and name and not any(sign.isspace() for sign in name):
            asks = one.get("input")
            hint = _text(asks, "hint") or "text" if isinstance(asks, dict) else ""
            yield AgentCommand(name[:100], _text(one, "description"), hint)


def _text(one: JsonObject, key: str) -> str:
    return text_of(one.get(key))[:_MOST_TEXT]
