"""`jp-tui config show | set | check | trust | path`: effective values, their origin, and validity (S2, S5, S10).

Results go to stdout, messages to stderr. Credentials never appear: the configuration has only the names of the
variables. Content is shown before it can be trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.output import TextOutput
from jp_tui.settings import adjusted
from jp_tui.settings.command_files import trusting
from jp_tui.settings.command_files.reading import CommandReader
from jp_tui.settings.command_files.trusting import SharedFile
from jp_tui.settings.edit import edit
from jp_tui.settings.edit.file_lock import locked
from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.settings.layers import layers, toml, trust_store
from jp_tui.settings.layers.explain import Shown, explained, is_table, toml_value, unknown
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.problems import Builds, new_problems, problems
from jp_tui.settings.layers.trust_preview import Proposed, content_before, proposed
from jp_tui.settings.schema.keys import dotted
from jp_tui.settings.sources import Sources
from jp_tui.system.paths import Paths

DONE, FAILED, USAGE = 0, 1, 2
COLUMNS = 80
_LONG = 400
_TEXT = 4_000
"""Characters of a command that are printed."""

Ask = Callable[[str], bool]
"""Asks the user yes or no; False if they leave."""


def show(sources: Sources, key: str, output: TextOutput) -> int:
    """Show every value at and under `key`, with its layer and place. Raises SettingsError, UsageError, OutputEnded."""
    path = toml.parse_key(key, "config show") if key else ()
    settings = sources.load()
    found = explained(settings, path, sources.environment)
    if output.as_json:
        for each in found:
            output.line(_json(each))
        if not found and not is_table(path):
            output.line({"key": dotted(path), "value": None, "layer": None, "place": None})
    else:
        for each in found:
            _print_value(each, output, whole=len(found) == 1)
        if not found:
            output.tell(f"{dotted(path)} is not set.")
    for notice in settings.notices:
        output.tell(f"jp-tui: {notice.words}")
    return DONE


def _json(each: Shown) -> dict[str, Any]:
    row = {"key": each.key, "value": each.value, "layer": each.layer, "place": each.place or None}
    row |= {"why": each.why} if each.why else {}
    return row | ({"adjusted": [one.json() for one in each.adjusted]} if each.adjusted else {})


def _print_value(each: Shown, output: TextOutput, *, whole: bool) -> None:
    value = toml_value(each.value)
    if len(value) > _LONG and not whole:
        value = f"{value[:_LONG]}… ({len(value)} characters)"
    line = f"{each.key} = {value}"
    comes = ", ".join(part for part in (each.layer, each.place, each.why) if part)
    if len(line) + len(comes) + 4 <= COLUMNS:
        output.print(f"{line}  # {comes}")
    else:
        output.print(line)
        output.print(f"    # {comes}")


def change(sources: Sources, key: str, value: str, output: TextOutput, builds: Builds, themes: str) -> int:
    """Set a key in the user's file. Raises SettingsError and UsageError without a change."""
    path = toml.parse_key(key, "config set")
    if (problem := unknown(path)) is not None:
        raise problem
    given = toml.parse_value(value, "config set")
    edit.check_value(path, given)
    with locked(sources.user, dotted(path)):
        text = edit.with_value(sources.user, path, given)
        if wrong := new_problems(sources, text, builds, themes):
            raise SettingsError(wrong)
        edit.store(sources.user, path, text)
    if output.as_json:
        output.line({"key": dotted(path), "value": given, "file": str(sources.user)})
    else:
        output.print(f"{dotted(path)} = {toml_value(given)} is set in {sources.user}.")
    _print_overrides(sources, path, output)
    return DONE


def _print_overrides(sources: Sources, path: tuple[str, ...], output: TextOutput) -> None:
    """Print what overrides the value: a higher layer, or a bound (Z4)."""
    try:
        settings = sources.load()
    except SettingsError as error:
        output.tell(f"jp-tui: {error.first.words()}")
        return
    for notice in adjusted.notices(settings, sources.environment):
        if notice.keys == (dotted(path),):
            output.tell(f"jp-tui: {notice.words}")
    origin = settings.origin(*path)
    if origin is not None and origin.layer not in ("user", "built-in"):
        output.tell(f"The effective value is still {origin.words()} ({origin.layer}).")


def check(
    sources: Sources,
    builds: Builds,
    output: TextOutput,
    themes: str,
    own: Sequence[SettingsProblem] = (),
    unused: Sequence[SettingsProblem] = (),
    facts: Sequence[str] = (),
) -> int:
    """Print all problems; return 0 if there are none, else 2. `own` are those of keys, themes, rules, commands and
    skills, which prevent no start; `unused` are commands whose name another has; `facts` are shown beside them. Raises
    OutputEnded."""
    found, notices = problems(sources, builds, themes)
    for problem in (*found, *own):
        if output.as_json:
            output.line(_problem(problem))
        else:
            output.print(problem.words())
    for notice in notices:
        output.tell(f"jp-tui: {notice.words}")
    for problem in unused:
        output.tell(f"jp-tui: {problem.words()}")
    for fact in facts:
        output.tell(fact)
    if found:
        number = f"{len(found)} problem" + ("s" if len(found) > 1 else "")
        output.tell(f"{number}. Correct {'it' if len(found) == 1 else 'them'} before you start jp-tui.")
        return USAGE
    if own:
        output.tell(
            "The configuration is valid. What is listed above is ignored. A rules file with a problem allows nothing."
            if any(problem.file.endswith("rules.toml") for problem in own)
            else "The configuration is valid. What is listed above is ignored."
        )
        return USAGE
    output.tell("The configuration is valid.")
    return DONE


def _problem(problem: SettingsProblem) -> Mapping[str, object]:
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "key": problem.key,
        "message": problem.message,
        "allowed": list(problem.allowed),
        "nearest": problem.nearest or None,
    }


def trust(sources: Sources, reader: CommandReader, yes: bool, revoke: bool, ask: Ask | None, output: TextOutput) -> int:
    """Trust the workspace's file, and its commands and skills (context.md K52), with exactly the content that is shown.
    Raises SettingsError and OutputEnded."""
    file = sources.workspace
    if revoke:
        was, others = trust_store.forget(sources.store, file), trusting.forget(reader)
        folder = file if was or not others else file.parent.parent
        state, words = ("revoked", "is no longer trusted") if was or others else ("untrusted", "was not trusted")
        return _print_state(output, state, folder, words)
    document, shared = toml.read(str(file)), trusting.shared(reader)
    if document is None and not shared:
        output.tell(f"{file} doesn't exist, nor do commands or skills. There is nothing to trust.")
        return USAGE
    folder = file if document is not None else file.parent.parent
    new = [one for one in shared if one.state != "trusted"]
    known = document is None or sources.trusts(document.data)
    if known and not new:
        return _print_state(output, "trusted", folder, "is already trusted in its current state")
    if document is not None and not known:
        found = proposed(document, str(file), _below(sources), content_before(sources.store, file))
        _show_trust(str(file), found, output)
        if all(one.counts == "always" for one in found):
            output.tell("All of it applies already: only display and stricter settings.")
    _show_shared(new, file.parent.parent, output)
    if not yes:
        if ask is None:
            output.tell("jp-tui: no terminal to confirm on. Review it, then run again with --yes.")
            return USAGE
        if not ask("Trust exactly this content? [y/N] "):
            output.tell("No changes.")
            return FAILED
    if document is not None:
        trust_store.trust(sources.store, file, document.data)
    trusting.trust(reader, shared)
    return _print_state(output, "trusted", folder, "is trusted until it changes")


def _below(sources: Sources) -> Settings:
    stack = [layers.builtin(file) for file in sources.builtins]
    user = layers.from_file("user", str(sources.user))
    return Settings([*stack, user] if user else stack)


def _show_trust(file: str, found: Sequence[Proposed], output: TextOutput) -> None:
    """Print to stderr: stdout has only the result, so that --json is JSON."""
    heads = {
        "waits": f"{file} would set:",
        "never": "It also has settings that a folder can't set, trusted or not:",
    }
    for counts, head in heads.items():
        rows = [one for one in found if one.counts == counts]
        if rows:
            output.tell(head)
        for one in rows:
            output.tell(f"- {one.key} = {one.value}  (line {one.line}): {neutralise(one.does, 'line')}")
            if one.before is not None and one.change == "changed":
                output.tell(f"  changed: was {one.before} when you trusted it")
    for one in found:
        if one.change == "gone":
            output.tell(f"- {one.key} = {one.before} removed")


def _show_shared(files: Sequence[SharedFile], folder: Path, output: TextOutput) -> None:
    """Print each command and each file of a skill, whole as far as it isn't very long."""
    if files:
        output.tell(f"Commands and skills of {folder}:")
    for one in files:
        changed = ", changed since you trusted it" if one.state == "changed" else ""
        path, does = neutralise(trusting.relative(one.path, folder), "line"), neutralise(one.does, "line")
        output.tell(f"- {path} ({len(one.data):,} bytes{changed}): {does}")
        for row in neutralise(one.text[:_TEXT], "visualize").rstrip("\n").split("\n"):
            output.tell(f"| {row}")
        if len(one.text) > _TEXT:
            output.tell(f"| … {len(one.text) - _TEXT:,} more characters: read the file")


def _print_state(output: TextOutput, state: str, file: os.PathLike[str], words: str) -> int:
    if output.as_json:
        output.line({"file": str(file), "state": state})
    else:
        output.print(f"{file} {words}.")
    return DONE


def path(sources: Sources, paths: Paths, output: TextOutput) -> int:
    """Print all locations, and whether they exist. Raises OutputEnded."""
    rows = {
        "configuration": paths.config_file,
        "models": Path(sources.models),
        "keys": paths.keys_file,
        "themes": paths.themes,
        "commands": paths.config / "commands",
        "skills": paths.config / "skills",
        "workspace": sources.workspace,
        "trusted": sources.store,
        "conversations": paths.database,
        "state": paths.state,
        "cache": paths.cache,
    }
    for name, where in rows.items():
        there = os.path.exists(where)
        if output.as_json:
            output.line({"name": name, "path": str(where), "exists": there} | _trust(sources, name, there))
        else:
            note = "" if there else "  (missing)"
            if name == "workspace" and there:
                note = "  (trusted)" if _trust(sources, name, there)["trusted"] else "  (not trusted)"
            output.print(f"{name:<14} {neutralise(str(where), 'line')}{note}")
    return DONE


def _trust(sources: Sources, name: str, there: bool) -> dict[str, bool]:
    if name != "workspace" or not there:
        return {}
    try:
        document = toml.read(str(sources.workspace))
    except SettingsError:
        return {"trusted": False}
    return {"trusted": document is not None and sources.trusts(document.data)}
