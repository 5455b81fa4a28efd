"""The programs whose hooks are known, by their word on the command line."""

from __future__ import annotations

from importlib import import_module

from jp_tui.headless.hooks.program import HookProgram

WORDS = ("claude", "codex", "gemini", "opencode")


def program_named(name: str) -> HookProgram | None:
    """Return the program with this name in rules and settings (N3), None for any other."""
    return next((one for one in map(program, WORDS) if one.name == name), None)


def program(word: str) -> HookProgram:
    """Return one of them."""
    found: HookProgram = import_module(f"{__package__}.{word}").PROGRAM
    return found
