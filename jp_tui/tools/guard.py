"""Which files the tools treat with care, by their names (hostile `paths` cases; inquiries.md R247).

Three kinds: secrets are not read, shown, copied or changed; control files of git and of this program are not written
at all; files that other programs or agents obey are written only when a person says so. Decided on the real path,
after links, and on what a name reads like: case, invisible characters and trailing dots do not get around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from jp_tui.questions.bounds import visible

SECRETS = (
    ".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist", "!.env.defaults",
    ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".aws/credentials", ".docker/config.json",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.p12", "*.pfx", "*.kdbx",
)  # fmt: skip
"""Names that usually hold secrets; one with a slash is the end of a path, `!` makes an exception."""

_CONTROL = frozenset({".git", "git~1", ".jp-tui", ".jp_tui"})

_INSTRUCTIONS = (
    "agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules", ".mcp.json",
    ".cursor/*", ".claude/*", ".codex/*",
)  # fmt: skip
_OBEYED = (
    "makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "rakefile", "taskfile.y*ml", "cmakelists.txt",
    "meson.build", "build.gradle*", "build.rs", "configure", "package.json", "composer.json", "gemfile",
    "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", "pytest.ini", "conftest.py",
    "sitecustomize.py", "usercustomize.py", "*.pth", ".envrc", ".npmrc", ".yarnrc*", ".pre-commit-config.yaml",
    ".gitattributes", ".gitmodules", ".gitlab-ci.yml", "jenkinsfile", "dockerfile*", ".bashrc", ".bash_profile",
    ".profile", ".zshrc", ".zshenv", ".github/workflows/*", ".github/actions/*", ".vscode/*", ".idea/*", ".husky/*",
    ".devcontainer/*", ".circleci/*",
)  # fmt: skip


def secret(real: str, rules: Iterable[str] = SECRETS) -> bool:
    """Whether the file at this real path usually holds secrets. The last rule that fits decides."""
    parts = _parts(real)
    found = False
    for rule in rules:
        kept = rule.startswith("!")
        if _fits(parts, rule.removeprefix("!").casefold()):
            found = not kept
    return found


def control(real: str) -> bool:
    """Whether writing here would change what git or this program does by itself."""
    return not _CONTROL.isdisjoint(_parts(real))


def obeyed(real: str) -> str | None:
    """Why only a person may decide about a change of this file, as a clause; None for an ordinary one."""
    parts = _parts(real)
    if any(_fits(parts, rule) for rule in _INSTRUCTIONS):
        return "agents take instructions from it"
    if any(_fits(parts, rule) for rule in _OBEYED):
        return "other programs run what it says"
    return None


def _parts(real: str) -> list[str]:
    return [visible(part).casefold().rstrip(". ") or part for part in real.split("/")]


def _fits(parts: list[str], rule: str) -> bool:
    """Whether the path ends as the rule says; `dir/*` covers everything below that folder."""
    steps = rule.split("/")
    if len(steps) == 1:
        return fnmatchcase(parts[-1], rule)
    if steps[-1] == "*":
        head, last = steps[:-1], len(parts) - len(steps) + 1
        return any(parts[at : at + len(head)] == head for at in range(last))
    return parts[-len(steps) :] == steps
