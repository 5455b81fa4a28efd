"""Model that answers a question instead of the user, its request settings, and their problems (inquiries.md R70, R72,
R130-R132).

Each field comes from the question, then `conversation.inquiry.assistant`, then the main assistant. Values only: opens
no connection and reads no credential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from urllib.parse import urlsplit

from jp_tui.rules.values import CALL
from jp_tui.settings import providers, toolset
from jp_tui.settings.errors import SettingsError, SettingsProblem, printable
from jp_tui.settings.known_models import Facts, KnownModels, read
from jp_tui.settings.layers.layers import Settings, SettingsNotice
from jp_tui.settings.layers.merge import get, merge
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.providers import ModelId, ProviderSettings
from jp_tui.settings.questions import APPROVAL, REVIEWER, approval
from jp_tui.settings.schema.assistant import ASSISTANT
from jp_tui.settings.schema.keys import dotted
from jp_tui.settings.toolset import ToolSettings
from jp_tui.settings.typed_settings import AssistantSettings, assistant_of
from jp_tui.settings.wires import WIRES

INHERIT = "inherit"
CONVERSATION = "the conversation's model"
OWN_RETRIES = ("max_retries", "base_backoff_ms", "max_backoff_secs")
"""Settings that an inquiry doesn't inherit from the main assistant (R135); config/defaults.toml sets them."""
_ID: Path = ("model", "id")


@dataclass(frozen=True, slots=True)
class ReviewerChoice:
    """Model for a question; None is the conversation's own. `words` name the override, `path` its key."""

    model: ModelId | None
    words: str
    path: Path


def choose_reviewer(
    settings: Settings,
    known: Mapping[str, ProviderSettings],
    overrides: Mapping[str, Any] | None = None,
    tool: str = "",
    question: str = "",
) -> ReviewerChoice:
    """Return the reviewing model (R70, R130). Raises SettingsError for an unknown provider or alias, with the place
    and, for a question, its tool."""
    own = get(dict(overrides or {}), _ID)
    path: Path = (*toolset.TOOLS, tool, "questions", question, "target", *_ID)
    asked = f"question {question} of tool {tool}"
    if question == CALL:
        path, asked = (*APPROVAL, *_ID), "the reviewer of calls"
    if own is not None:
        return _asked(settings, known, own, path, f"{asked}, model {own}")
    shared = settings.get(*REVIEWER)
    if shared is not None:
        return _asked(settings, known, shared, REVIEWER, f"{dotted(REVIEWER)} = {shared}")
    return ReviewerChoice(None, f"{asked}, {CONVERSATION}", path if tool else ())


def _asked(
    settings: Settings, known: Mapping[str, ProviderSettings], name: str, path: Path, words: str
) -> ReviewerChoice:
    if name == INHERIT:
        return ReviewerChoice(None, words, path)
    try:
        return ReviewerChoice(providers.parse_model(name, settings, known), words, path)
    except SettingsError as error:
        raise SettingsError([_placed(settings, path, each, words) for each in error.problems]) from None


def _placed(settings: Settings, path: Path, problem: SettingsProblem, words: str) -> SettingsProblem:
    said = problem.message if path == REVIEWER else f"{problem.message} ({words})"
    return settings.problem(path, said, problem.allowed, problem.nearest)


def assistant(settings: Settings, overrides: Mapping[str, Any] | None = None) -> AssistantSettings:
    """Return the reviewer's settings: prompt, parameters, request (R130, R135). `model` as written, also `inherit`."""
    main = dict(settings.get("assistant"))
    main["request"] = {key: value for key, value in main["request"].items() if key not in OWN_RETRIES}
    shared = settings.get("conversation", "inquiry", "assistant") or {}
    return assistant_of(merge(merge(main, shared, ASSISTANT), dict(overrides or {}), ASSISTANT))


# --- schema support of the model ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Support:
    """A model's support for schemas (S20b). `certain`: support is known; `none`: known to be missing."""

    how: Literal["native", "tool"]
    certain: bool = True
    none: bool = False


def support(provider: ProviderSettings, facts: Facts) -> Support:
    """Return the provider's setting, else the model's known support, else the wire's usual one."""
    if provider.structured != "auto":
        return Support(provider.structured)
    if facts.structured == "none":
        return Support("tool", none=True)
    certain = facts.structured is not None
    wire = WIRES[provider.wire]
    if wire.structured == "tool":
        enforced = facts.structured == "native" and urlsplit(provider.base_url).hostname == wire.enforcing
        return Support("native" if enforced else "tool", certain)
    return Support("tool" if facts.structured == "tool" else "native", certain)


# --- problems ----------------------------------------------------------------------------------------------------


def check(
    settings: Settings, tools: Mapping[str, ToolSettings], environment: Mapping[str, str], models_file: str
) -> tuple[list[SettingsProblem], list[SettingsNotice]]:
    """Return everything that prevents the reviewers of these tools from running, and everything doubtful (R71, R131,
    R132).

    Raises SettingsError for an unusable models file, which is read only if there is a reviewer.
    """
    problems: list[SettingsProblem] = []
    doubts: dict[str, SettingsNotice] = {}
    known = providers.providers(settings, environment)
    models: KnownModels | None = None
    for find in _questions(settings, known, tools):
        try:
            found = find()
        except SettingsError as error:
            problems += error.problems
            continue
        model = found.model or _main(settings, known, environment)
        if model is None:
            continue
        models = models or read(models_file)
        can = support(known[model.provider], models.facts(str(model)))
        if can.none:
            said = f"{model} doesn't support structured output, so it can't review ({found.words})"
            problems.append(settings.problem(found.path or REVIEWER, said))
        elif not can.certain:
            doubts.setdefault(str(model), SettingsNotice((dotted(found.path),), _doubt(model, found)))
    return list(dict.fromkeys(problems)), list(doubts.values())


def _questions(
    settings: Settings, known: Mapping[str, ProviderSettings], tools: Mapping[str, ToolSettings]
) -> Iterator[Callable[[], ReviewerChoice]]:
    """Iterate over all configured reviewers."""
    if settings.get(*REVIEWER) not in (None, INHERIT):
        yield partial(choose_reviewer, settings, known)
    if (first := approval(settings)).target != "user":
        yield partial(choose_reviewer, settings, known, first.overrides, "", CALL)
    for name, tool in tools.items():
        for id_, question in tool.questions.items():
            if question.target != "user":
                yield partial(choose_reviewer, settings, known, question.overrides, name, id_)


def _main(settings: Settings, known: Mapping[str, ProviderSettings], environment: Mapping[str, str]) -> ModelId | None:
    """Return the conversation's model if it is certain before one is opened."""
    try:
        if providers.needs_probe(settings, known, environment):
            return None
        return providers.choose(settings, known, environment).id
    except SettingsError:  # reported with the model
        return None


def _doubt(model: ModelId, found: ReviewerChoice) -> str:
    said = (
        f"it isn't known whether {model} supports the form of a verdict ({found.words}); "
        f"`structured` in models.toml or in providers.llm.{model.provider} says so"
    )
    return printable(said, 1_000)


def refuse(
    settings: Settings, tools: Mapping[str, ToolSettings], environment: Mapping[str, str], models_file: str
) -> None:
    """Raise SettingsError for reviewers that can never run. Reads nothing if there is no reviewer."""
    on = {name: tool for name, tool in tools.items() if tool.enable.state}
    if toolset.reviewed(settings) and (problems := check(settings, on, environment, models_file)[0]):
        raise SettingsError(problems)


def notices(settings: Settings, environment: Mapping[str, str], models_file: str) -> tuple[SettingsNotice, ...]:
    """Return doubtful settings only; `check` reports errors."""
    try:
        on = {name: tool for name, tool in toolset.tools(settings).items() if tool.enable.state}
        return tuple(check(settings, on, environment, models_file)[1])
    except SettingsError:
        return ()


def reviewer_name(
    settings: Settings, environment: Mapping[str, str], tool: str, question: str, overrides: Mapping[str, Any]
) -> str:
    """Return the reviewer's name for `config show` (R72); empty if it can't be determined."""
    try:
        found = choose_reviewer(settings, providers.providers(settings, environment), overrides, tool, question)
    except SettingsError:
        return ""
    return f"reviewer: {found.model or CONVERSATION}"
