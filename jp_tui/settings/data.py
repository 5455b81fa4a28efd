"""Where our own data is: `config/` and `themes/`, in a checkout and in an installed wheel alike.

In the repository they stand at its top, in the wheel inside the package (`_data/`). Plain paths beside this file:
`importlib.resources` costs more than the rest of the settings together. Opens nothing.
"""

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
"""Its name here and in the user's folder."""
MODELS_FILE = os.path.join(CONFIG, MODELS)
DANGER_FILE = os.path.join(CONFIG, "danger.toml")
DEMO = os.path.join(CONFIG, "demo")
