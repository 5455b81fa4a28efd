"""`python -m tests.house.lowest [--write]`: the lowest versions that pyproject.toml allows, as a constraints file.

Printed, or written to `constraints-lowest.txt`. `.ci/run` installs them and runs the tests of `tests/quick.txt`. What
the project needs itself has the lower bound of its range. What only its dependencies need has the lower bound that
their metadata name, listed here by hand. Everything else, test tools above all, is as in `constraints.txt`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from tests.house.audit import pins

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "constraints-lowest.txt"
BENEATH = {
    "annotated-types": "0.6.0", "attrs": "22.2.0", "h11": "0.13.0", "httpcore": "1.0.0",
    "jsonschema-specifications": "2023.3.6", "linkify-it-py": "1.0.0", "MarkupSafe": "2.0.0", "mdurl": "0.1.0",
    "platformdirs": "3.6.0", "rpds-py": "0.7.1",
}  # fmt: skip
"""By the lower bounds in the metadata of the lowest versions that need them."""
UNPINNED = ("pydantic-core",)
"""What another package names the version of."""
_HEAD = """\
# The lowest versions that pyproject.toml allows, and the test tools of constraints.txt: `pip install -c` this file.
# Written by `python -m tests.house.lowest --write`; the quick part of the tests runs on them in each `.ci/run`.
"""


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def bounds() -> dict[str, str]:
    """The lower bound of each direct dependency, by its name as pyproject.toml writes it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = [re.fullmatch(r"([A-Za-z0-9._-]+)>=([0-9.]+),<[0-9.]+", one) for one in project["dependencies"]]
    if None in found:
        raise SystemExit(f"not NAME>=VERSION,<VERSION: {project['dependencies'][found.index(None)]}")
    return {match[1]: match[2] for match in found if match}


def lowest() -> str:
    """The file's text."""
    given = bounds() | BENEATH
    known = {normal(name) for name in given} | set(UNPINNED)
    tools = [
        (name, version) for name, version in pins((ROOT / "constraints.txt").read_text()) if normal(name) not in known
    ]
    lines = sorted([f"{name}=={version}" for name, version in [*given.items(), *tools]], key=str.lower)
    return _HEAD + "\n".join(lines) + "\n"


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(lowest())
    else:
        sys.stdout.write(lowest())


if __name__ == "__main__":
    main()
