"""`jp-tui completions SHELL`: the candidates for a shell, from built-in data and the user's files.

It reads files only: no server is asked and no database opened; an unreadable configuration contributes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.headless.output import TextOutput
from jp_tui.settings import data, known_models
from jp_tui.settings.cli.completions import SHELLS, Values, script
from jp_tui.settings.command_files.reading import CommandFile
from jp_tui.settings.errors import SettingsError, UsageError, nearest
from jp_tui.settings.layers import toml
from jp_tui.settings.layers.layers import Settings, builtin
from jp_tui.settings.schema.keys import SCHEMA
from jp_tui.settings.schema.nodes import Group
from jp_tui.settings.sources import Sources
from jp_tui.settings.themes import themes


def completions(
    shell: str, sources: Sources, themes_folder: str, output: TextOutput, own: Sequence[CommandFile] = ()
) -> int:
    """Write the script; return 0. Of `own` commands it has those of the user, which are the same in every folder.
    Raises UsageError, OutputEnded."""
    found = next((one for one in SHELLS if one == shell), None)
    if found is None:
        raise UsageError(f"No completions for {shell}. Supported shells: {', '.join(SHELLS)}.", nearest(shell, SHELLS))
    names = [f"/{one.name}" for one in own if one.own and one.state == "ready"]
    output.write(script(found, _values(sources, themes_folder, names)))
    return 0


def _values(sources: Sources, themes_folder: str, commands: list[str]) -> Values:
    try:
        settings = sources.load()
    except SettingsError:
        settings = Settings([builtin(file) for file in sources.builtins])
    llm = settings.get("providers", "llm")
    aliases = llm.get("aliases") or {}
    providers = [name for name in llm if name != "aliases"]
    models = [f"{name}/{values['default_model']}" for name, values in llm.items() if "default_model" in values]
    try:
        known = known_models.read(sources.models)
        models += [model for name in providers for model in known.named(name)]
    except SettingsError:
        pass
    tools = toml.read(data.TOOLS_FILE)
    named = tools.tree["conversation"]["tools"] if tools is not None else {}
    own = settings.get("conversation", "tools") or {}
    return Values.of(
        themes=themes.names(themes_folder),
        models=[*aliases, *models, "demo/tour"],
        providers=providers,
        servers=settings.get("providers", "mcp") or (),
        tools=[name for name in (*named, *own) if name != "*"],
        keys=list(_keys(SCHEMA, "")),
        shells=SHELLS,
        commands=commands,
    )


def _keys(group: Group, at: str) -> list[str]:
    """Return the keys with fixed names, as typed."""
    found: list[str] = []
    for name, node in group.children.items():
        key = f"{at}{name}"
        found += _keys(node, f"{key}.") if isinstance(node, Group) else [key]
    return found
