"""All problems of the configuration at once (R71, `config check`), and those that a change would add.

Each layer is checked first; if all are readable, the combination is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jp_tui.settings import known_models, providers, reviewers, toolset, typed_settings
from jp_tui.settings.cli import toggles
from jp_tui.settings.errors import SettingsError, SettingsProblem, UsageError
from jp_tui.settings.layers import layers, toml
from jp_tui.settings.layers.layers import Layer, Settings, SettingsNotice
from jp_tui.settings.sources import Sources
from jp_tui.settings.themes import themes

Builds = Callable[[Settings], None]
"""Builds what the engine needs; raises SettingsError."""


def problems(
    sources: Sources, builds: Builds, themes_folder: str
) -> tuple[list[SettingsProblem], tuple[SettingsNotice, ...]]:
    """Return all problems in the order of the layers, and additional notices."""
    found: list[SettingsProblem] = []
    stack: list[Layer] = [layers.builtin(file) for file in sources.builtins]

    def read(layer: Callable[[], Layer | None]) -> None:
        try:
            made = layer()
        except SettingsError as error:
            found.extend(error.problems)
        else:
            stack.extend([made] if made else [])

    read(lambda: layers.from_file("user", str(sources.user)))
    read(lambda: _workspace(sources))
    read(lambda: layers.from_environment(sources.environment, Settings(stack))[0])
    read(lambda: layers.from_assignments(sources.assignments) if sources.assignments else None)
    if found:
        return found, ()
    settings = sources.load()
    return together(settings, sources, builds, themes_folder), settings.notices


def _workspace(sources: Sources) -> None:
    """Check a workspace's file as strictly as the user's own, trusted or not, without merging it."""
    layers.from_file("workspace", str(sources.workspace))


def together(settings: Settings, sources: Sources, builds: Builds, themes_folder: str) -> list[SettingsProblem]:
    """Return problems that only the combination of layers has."""
    found: list[SettingsProblem] = []

    def attempt(step: Callable[[], object], *key: str) -> None:
        try:
            step()
        except SettingsError as error:
            found.extend(_placed(settings, problem) for problem in error.problems)
        except UsageError as error:
            found.append(settings.problem(key, str(error)))

    def choice() -> None:
        toggles.check_choice(toolset.tools(settings), typed_settings.assistant(settings).tool_choice, settings)

    attempt(lambda: builds(settings))
    if not found:
        attempt(choice, "assistant", "tool_choice")
        attempt(lambda: _reviewers(settings, sources))
    attempt(lambda: _models(settings, sources))
    attempt(lambda: known_models.read(sources.models))
    if (problem := themes.check_name(typed_settings.look_settings(settings).theme, themes_folder)) is not None:
        found.append(_placed(settings, replace(problem, key=problem.key or "ui.theme")))
    return list(dict.fromkeys(found))


def _models(settings: Settings, sources: Sources) -> None:
    known = providers.providers(settings, sources.environment)
    providers.choose(settings, known, sources.environment)


def _reviewers(settings: Settings, sources: Sources) -> None:
    reviewers.refuse(settings, toolset.tools(settings), sources.environment, sources.models)


def _placed(settings: Settings, problem: SettingsProblem) -> SettingsProblem:
    """Add the line of its key to `problem` if it has none."""
    if problem.line is not None or not problem.key:
        return problem
    try:
        path = toml.parse_key(problem.key, "")
    except SettingsError:
        return problem
    origin = settings.origin(*path)
    if origin is None:
        return problem
    return replace(problem, file=origin.name, line=origin.line, column=origin.column)


def new_problems(sources: Sources, text: str, builds: Builds, themes_folder: str) -> Sequence[SettingsProblem]:
    """Return problems that the user's file would have with the content `text` but doesn't have now."""

    def wrong(layer: Layer | None) -> list[SettingsProblem]:
        stack = [layers.builtin(file) for file in sources.builtins] + ([layer] if layer else [])
        return together(Settings(stack), sources, builds, themes_folder)

    def words(problem: SettingsProblem) -> tuple[str, str]:
        return problem.key, problem.message

    before = {words(each) for each in wrong(layers.from_file("user", str(sources.user)))}
    after = wrong(layers.from_text("user", str(sources.user), text.encode("utf-8")))
    return [each for each in after if words(each) not in before]
