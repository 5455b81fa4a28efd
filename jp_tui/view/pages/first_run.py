"""First-run page as a pure machine: the step, its rows, requests to the engine (issue 8 "First minutes").

A server, a model, a test, a reviewer, then the summary. Nothing is written before the last step, and every step can go
back. Servers' text is untrusted; a key is never passed here, only the name of its variable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jp_tui.protocol.base import Model
from jp_tui.protocol.events import ModelsListed, ModelTested, Refused, SetupFound, SetupSaved
from jp_tui.protocol.models import ListModels, ModelInfo, ServerSpec
from jp_tui.protocol.setup import FoundAgent, FoundServer, ProbeSetup, SaveSetup, TestModel
from jp_tui.view.wording.amounts import duration
from jp_tui.view.wording.models import facts

Step = Literal["servers", "own", "models", "testing", "failed", "reviewer", "confirm", "saving", "done"]
OWN, AGAIN, GO, ASIS, OTHER, NONE, SAME, WRITE, CLOSE = (
    ":own", ":again", ":go", ":as-is", ":other", ":none", ":same", ":write", ":close"
)  # fmt: skip
FIELDS = ("name", "base_url", "wire", "api_key_env")
INHERIT = "inherit"
_NUMBER: dict[Step, int] = {"servers": 1, "own": 1, "models": 2, "testing": 2, "failed": 2, "reviewer": 3}
_REFUSED: dict[Step, Step] = {"saving": "confirm", "testing": "failed"}
_NAMES = {"name": "Name", "base_url": "Address", "wire": "Protocol", "api_key_env": "Key variable"}
_MEANS = {
    "name": "Any name. Its models are then called NAME/MODEL.",
    "base_url": "Base URL, for example http://127.0.0.1:8080/v1",
    "wire": "The API protocol. Most servers use {wire}. Enter changes it.",
    "api_key_env": "The environment variable that holds the API key, if one is needed. The key itself is never stored.",
}


_DRAFT = ServerSpec(name="local", wire="", base_url="http://127.0.0.1:8080/v1")


MOST_MODELS = 500
"""Models listed at once."""


@dataclass(frozen=True, slots=True)
class WizardRow:
    """One choice: its key, name, description, and details while highlighted. Untrusted text."""

    key: str
    title: str
    more: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Wizard:
    """Current step. `server` is one that isn't configured yet, `provider` the selected name; `models` None while
    loading; `trouble` is the last error as text. `wires` are the protocols a server may use, the most common one
    first."""

    step: Step = "servers"
    wires: tuple[str, ...] = ()
    found: SetupFound | None = None
    server: ServerSpec | None = None
    draft: ServerSpec = _DRAFT
    provider: str = ""
    models: tuple[ModelInfo, ...] | None = None
    model: str = ""
    tested: ModelTested | None = None
    reviewer: str = ""
    agent: FoundAgent | None = None
    saved: SetupSaved | None = None
    trouble: str = ""


Next = tuple[Wizard, tuple[Model, ...]]


def begin(wires: tuple[str, ...]) -> Next:
    """Return the first step; see Wizard."""
    return Wizard(wires=wires, draft=_DRAFT.model_copy(update={"wire": wires[0]})), (ProbeSetup(),)


# -- events of the engine


def apply_event(now: Wizard, event: object) -> Next:
    """Apply a reply; one that isn't awaited any more changes nothing."""
    match event:
        case SetupFound():
            return replace(now, found=event), ()
        case ModelsListed(provider=provider, models=models, problems=problems, missing=missing):
            if now.step != "models" or provider != now.provider:
                return now, ()
            said = [" ".join(part for part in (one.message, one.advice) if part) for one in problems]
            said += [f"{one.variable} isn't set." for one in missing]
            return replace(now, models=models, trouble=" ".join(said)), ()
        case ModelTested(model=model, ok=ok, message=message, advice=advice):
            if now.step != "testing" or model != now.model:
                return now, ()
            said = [part for part in (message, advice) if part]
            after: Step = "confirm" if now.agent is not None else "reviewer"
            return replace(now, step=after if ok else "failed", tested=event, trouble="\n".join(said)), ()
        case SetupSaved():
            return replace(now, step="done", saved=event, trouble=""), ()
        case Refused(message=message, advice=advice):
            words = "\n".join(part for part in (message, advice) if part)
            step: Step = "own" if _of_own(now) else _REFUSED.get(now.step, now.step)
            found = now.found or SetupFound(servers=(), file="", exists=False)
            return replace(now, step=step, trouble=words, found=found, models=now.models or ()), ()
        case _:
            return now, ()


def _of_own(now: Wizard) -> bool:
    return now.step in ("models", "testing") and now.server is not None


# -- input of the user


def choose_row(now: Wizard, key: str) -> Next:
    """Select a row."""
    now = replace(now, trouble="")
    match now.step:
        case "servers":
            return _server(now, key)
        case "own":
            return _own(now, key)
        case "models":
            return _model(now, key)
        case "failed":
            return _failed(now, key)
        case "reviewer":
            reviewer = {NONE: "", SAME: INHERIT}.get(key, key)
            return replace(now, step="confirm", reviewer=reviewer), ()
        case "confirm":
            wanted = SaveSetup(model=now.model, reviewer=now.reviewer, server=now.server, agent=now.agent)
            return replace(now, step="saving"), (wanted,)
        case _:
            return now, ()


def _server(now: Wizard, key: str) -> Next:
    if key == AGAIN:
        return replace(now, found=None), (ProbeSetup(),)
    if key == OWN:
        return replace(now, step="own"), ()
    agents = now.found.agents if now.found is not None else ()
    if (agent := next((one for one in agents if _agent_key(one) == key), None)) is not None:
        to = replace(now, step="testing", model=key, agent=agent, server=None, reviewer="", tested=None)
        return to, (TestModel(model=key, agent=agent),)
    to = replace(now, step="models", provider=key, server=None, models=None, agent=None)
    return to, (ListModels(provider=key),)


def _own(now: Wizard, key: str) -> Next:
    if key == "wire":
        at = (now.wires.index(now.draft.wire) + 1) % len(now.wires)
        return set_field(now, "wire", now.wires[at]), ()
    if key != GO:
        return now, ()
    missing = [_NAMES[name] for name in ("name", "base_url") if not getattr(now.draft, name)]
    if missing:
        return replace(now, trouble=f"{missing[0]} is empty."), ()
    draft = now.draft
    to = replace(now, step="models", provider=draft.name, server=draft, models=None, agent=None)
    return to, (ListModels(server=draft),)


def set_field(now: Wizard, field: str, text: str) -> Wizard:
    """Set a field of the user's own server."""
    return replace(now, draft=now.draft.model_copy(update={field: text.strip()}), trouble="")


def _model(now: Wizard, key: str) -> Next:
    if key == AGAIN:
        return replace(now, models=None), (ListModels(provider=now.provider, server=now.server),)
    if not key.partition("/")[2]:
        return now, ()
    return replace(now, step="testing", model=key, tested=None), (TestModel(model=key, server=now.server),)


def _failed(now: Wizard, key: str) -> Next:
    if key == AGAIN:
        return replace(now, step="testing", tested=None), (
            TestModel(model=now.model, server=now.server, agent=now.agent),
        )
    if now.agent is not None:
        return replace(now, step="confirm" if key == ASIS else "servers"), ()
    return replace(now, step="reviewer" if key == ASIS else "models"), ()


def back(now: Wizard) -> Wizard | None:
    """Go one step back; None: close the page, without writing."""
    before: dict[Step, Step] = {
        "own": "servers",
        "testing": "models",
        "failed": "models",
        "reviewer": "models",
        "confirm": "reviewer",
    }
    if now.agent is not None and now.step in ("testing", "failed", "confirm"):
        return replace(now, step="servers", trouble="")
    if now.step == "models":
        return replace(now, step="own" if now.server is not None else "servers", trouble="")
    to = before.get(now.step)
    return None if to is None else replace(now, step=to, trouble="")


# -- display


def title(now: Wizard) -> str:
    number = _NUMBER.get(now.step, 4)
    return "Setup" if now.step == "done" else f"Setup · step {number} of 4"


def lead(now: Wizard) -> str:
    """Return the step's introduction, or its progress."""
    match now.step:
        case "servers":
            if now.found is None:
                return "Looking for keys in the environment and for servers on this machine…"
            set_now = f" The current model is {now.found.model}." if now.found.model else ""
            return (
                f"Where do your models come from?{set_now}"
                if now.found.servers or now.found.agents
                else _nothing(now.found)
            )
        case "own":
            return "Your own model server. Enter edits the highlighted line."
        case "models":
            return f"Loading models from {now.provider}…" if now.models is None else f"Which model from {now.provider}?"
        case "testing":
            return f"Testing {now.model}… (up to 30 s)"
        case "failed":
            return f"{now.model} didn't answer."
        case "reviewer":
            answered = now.tested is not None and now.tested.ok
            took = f"{now.model} answered ({duration(now.tested.ms)}). " if answered and now.tested else ""
            return f"{took}Should a model review changes to your files before you do?"
        case "confirm":
            return "This will be saved:"
        case "saving":
            return "Saving…"
        case "done":
            return "Ready. A new conversation with this model is open behind this page."


def _nothing(found: SetupFound) -> str:
    keys = [one for one in found.looked if one.isupper()]
    servers = [one for one in found.looked if not one.isupper()]
    return (
        "No API key or server found. Set a provider's variable and restart jp-tui "
        f"(export {keys[0] if keys else 'NAME'}=…), start a server on this machine, or add your own.\n"
        f"Checked: {', '.join([*keys, *servers])}"
    )


def filtered(now: Wizard) -> bool:
    """True if the rows can be searched."""
    return now.step == "models" and now.models is not None


def rows(now: Wizard, words: str = "") -> tuple[WizardRow, ...]:
    """Return the rows; `words` filter the models, and name one that isn't listed."""
    match now.step:
        case "servers":
            return _servers(now)
        case "own":
            values = {name: str(getattr(now.draft, name)) for name in FIELDS}
            means = {**_MEANS, "wire": _MEANS["wire"].format(wire=now.wires[0])}
            fields = [WizardRow(name, _NAMES[name], values[name] or "–", means[name]) for name in FIELDS]
            return (*fields, WizardRow(GO, "Continue", "load its models"))
        case "models":
            return _models(now, words)
        case "failed":
            if now.agent is not None:
                return (
                    WizardRow(AGAIN, "Try again", "after you repaired it"),
                    WizardRow(OTHER, "Choose something else", "back to the list"),
                    WizardRow(ASIS, "Use it anyway", "save the configuration without a working test"),
                )
            return (
                WizardRow(AGAIN, "Try again", "a local server may still be loading the model"),
                WizardRow(OTHER, "Choose another model", "back to the list"),
                WizardRow(ASIS, "Use it anyway", "save the configuration without a working test"),
            )
        case "reviewer":
            return _reviewers(now)
        case "confirm":
            return (WizardRow(WRITE, "Save", f"to {now.found.file}" if now.found else ""),)
        case "done":
            return (WizardRow(CLOSE, "Begin", "go to the conversation"),)
        case _:
            return ()


def _servers(now: Wizard) -> tuple[WizardRow, ...]:
    if now.found is None:
        return ()
    found = tuple(WizardRow(one.provider, one.provider, _where(one), one.base_url) for one in now.found.servers)
    agents = tuple(
        WizardRow(_agent_key(one), one.name, "an agent, installed here", " ".join(one.command))
        for one in now.found.agents
    )
    own = WizardRow(OWN, "Another server", "enter address, protocol and key variable")
    again = WizardRow(AGAIN, "Search again", "after you start a server")
    return (*found, *agents, own, again)


def _agent_key(one: FoundAgent) -> str:
    return f"agent/{one.name}"


def _where(one: FoundServer) -> str:
    if not one.local:
        return f"{one.variable} is set" if one.variable else "set in your configuration"
    number = len(one.models)
    return f"running on this machine, {number} model{'s' if number != 1 else ''}"


def _models(now: Wizard, words: str) -> tuple[WizardRow, ...]:
    if now.models is None:
        return ()
    wanted = words.casefold().split()
    fits = [one for one in now.models if all(word in one.model.casefold() for word in wanted)]
    fits.sort(key=lambda one: not one.default)
    found = [WizardRow(one.id, one.model, _model_line(one)) for one in fits[:MOST_MODELS]]
    if (more := len(fits) - MOST_MODELS) > 0:
        found.append(WizardRow(AGAIN, f"{more:,} more models", "type part of the name above, or choose this to reload"))
    name = words.strip()
    if name and " " not in name and name not in [one.model for one in now.models]:
        found.append(WizardRow(f"{now.provider}/{name}", name, "not listed: use this name anyway"))
    if not now.models:
        found.append(WizardRow(AGAIN, "Reload", "or type a model name above"))
    return tuple(found)


def _model_line(one: ModelInfo) -> str:
    parts = ("recommended" if one.default else "", facts(one), "" if one.listed else "not listed by its server")
    return " · ".join(part for part in parts if part)


def _reviewers(now: Wizard) -> tuple[WizardRow, ...]:
    others = [one for one in now.models or () if one.id != now.model and one.listed]
    return (
        WizardRow(NONE, "No", "you decide on every change", "Change this any time with /setup or /settings."),
        WizardRow(SAME, "Yes, the same model", "you decide what it rejects or is unsure about"),
        *(WizardRow(one.id, f"Yes, {one.model}", facts(one)) for one in others[:MOST_MODELS]),
    )


def plan(now: Wizard) -> tuple[tuple[str, str], ...]:
    """Return the file's new or existing settings: (key, value)."""
    if now.saved is not None:
        return now.saved.keys
    pairs: list[tuple[str, str]] = []
    if now.server is not None:
        at = f"providers.llm.{now.server.name}"
        pairs += [(f"{at}.{name}", getattr(now.server, name)) for name in FIELDS[1:] if getattr(now.server, name)]
    if now.agent is not None:
        pairs.append((f"agents.{now.agent.name}.command", " ".join(now.agent.command)))
    pairs.append(("assistant.model.id", now.model))
    if now.reviewer:
        pairs.append(("conversation.inquiry.assistant.model.id", now.reviewer))
    return tuple(pairs)


def summary_note(now: Wizard) -> str:
    """Return the note below the summary: the file's fate."""
    if now.saved is not None:
        more = (
            f" However, {now.saved.hidden_by} still sets another model for the next start."
            if now.saved.hidden_by
            else ""
        )
        return _kept(now.saved) + more
    if now.found is None:
        return ""
    if now.found.exists:
        return "Only these keys change. Everything else in the file stays."
    return "This creates the file. It stores variable names, never API keys."


def _kept(saved: SetupSaved) -> str:
    if saved.created:
        return f"Saved to {saved.file}. A comment explains each line."
    return f"Saved to {saved.file}. Everything else in it is unchanged."
