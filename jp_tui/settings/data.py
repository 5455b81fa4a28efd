"""Location of the packaged data: `config/` and `themes/`, at the top of the repository or in the wheel's `_data/`.
Paths are relative to this file, because `importlib.resources` takes longer to import than all other settings code.
Opens no file."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SHIPPED = os.path.join(_PACKAGE, "_data")
_ROOT = _SHIPPED if os.path.isdir(_SHIPPED) else os.path.dirname(_PACKAGE)

CONFIG = os.path.join(_ROOT, "config")
THEMES = os.path.join(_ROOT, "themes")

DEFAULTS_FILE = os.path.join(CONFIG, "defaults.toml")
TOOLS_FILE = os.path.join(CONFIG, "tools.toml")
MODELS = "models.toml"
"""File name here and in the user's folder."""
MODELS_FILE = os.path.join(CONFIG, MODELS)
DANGER_FILE = os.path.join(CONFIG, "danger.toml")
DEMO = os.path.join(CONFIG, "demo")

POLICY_FILE = "/etc/jp-tui/policy.toml"
"""Decisions of an administrator for all users of this machine (AR8)."""
POLICY_VARIABLE = "JP_TUI_POLICY"
