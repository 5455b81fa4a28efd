"""The recorded hostile cases that the file tools can meet, and what they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jp_tui.tools.files.guard import control, secret, why_protected
from tests.hostile.recorded import cases
from tests.tools.asking import call

_TOOLS = {"read": "fs_read_file", "create": "fs_create_file", "delete": "fs_delete_file", "grep": "fs_grep_files"}


def _lay(root: Path, layout: list[str]) -> None:
    for entry in layout:
        words = entry.split(" ")
        if words[0] == "symlink":
            (root / words[1]).symlink_to(words[3])
        elif words[0] == "dir":
            (root / words[1]).mkdir(parents=True)
        elif words[0] == "file":
            (root / words[1]).parent.mkdir(parents=True, exist_ok=True)
            (root / words[1]).write_text("content\n")


async def test_paths(tmp_path: Path) -> None:
    """Group `paths`, every case that names an operation of ours (races and temporary files have tests of their own)."""
    seen = 0
    for case in cases("paths").values():
        payload, outcome = case["payload"], case["expect"]["outcome"]
        if payload["op"] not in _TOOLS or case["id"] == "PATH-063":
            continue
        seen += 1
        root = tmp_path / case["id"] / "root"
        (root / ".git").mkdir(parents=True)
        outside = root.parent / "outside.txt"
        outside.write_text("outside\n")
        _lay(root, payload["layout"])
        if case["id"] == "PATH-056":  # a case-insensitive disk would find .env under this name
            (root / payload["path"]).write_text("content\n")
        arguments = {"pattern" if payload["op"] == "grep" else "path": payload["path"]}
        told = await call(root, _TOOLS[payload["op"]], False, **arguments)
        match outcome:
            case "denied" | "error_final" | "rejected_args":
                assert (told.ok, told.ids) == (False, []), case["id"]
            case "asked_human":
                assert told.ids == ["apply_changes"], case["id"]
                assert told.asked[0].text.isprintable()
                assert told.asked[0].floor or "\x1b" in payload["path"], case["id"]
            case _:
                assert told.ok, case["id"]
        assert "root:" not in told.text
        assert outside.read_text() == "outside\n"
    assert seen > 25


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (".env", True),
        ("a/b/.ENV", True),
        (".env.local", True),
        (".env.example", False),
        (".e\u200bnv", True),
        (".env. ", True),
        ("env", False),
        ("my.env.py", False),
        ("home/.aws/credentials", True),
        ("credentials", False),
        (".ssh/id_ed25519", True),
        ("id_rsa.pub", False),
    ],
)
def test_names_that_hold_secrets(path: str, wanted: bool) -> None:
    """PATH-056, PATH-058 as a class: what a name reads like decides."""
    assert secret(path) is wanted


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (".git/hooks/x", True),
        ("sub/.git", True),
        (".GIT/config", True),
        (".g\u200cit/config", True),
        (".git./config", True),
        ("git~1/config", True),
        (".jp-tui/config.toml", True),
        (".gitignore", False),
        (".github/workflows/x.yml", False),
        ("git/x", False),
    ],
)
def test_control_files(path: str, wanted: bool) -> None:
    """PATH-038 to PATH-044 as a class."""
    assert control(path) is wanted


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("a/AGENTS.md", True),
        (".cursor/rules/x.mdc", True),
        (".github/workflows/ci.yml", True),
        ("deep/.vscode/tasks.json", True),
        ("Dockerfile.dev", True),
        ("x.pth", True),
        (".cargo/config.toml", True),
        (".github/dependabot.yml", True),
        ("home/.config/systemd/user/x.service", True),
        ("vite.config.ts", True),
        (".gemini/settings.json", True),
        (".githooks/pre-push", True),
        (".ZPROFILE", True),
        ("Cargo.toml", True),
        ("src/hooks/use_tree.ts", False),
        ("cargo/config.toml", False),
        ("src/build/x.py", False),
        ("docs/agents.md.txt", False),
        ("src/makefile.py", False),
        ("workflows/ci.yml", False),
    ],
)
def test_files_that_others_obey(path: str, wanted: bool) -> None:
    """PATH-050 to PATH-055 as a class."""
    assert (why_protected(path) is not None) is wanted


STEERING = [
    "sitecustomize/__init__.py", "lib/usercustomize/x.py", "compose.override.yaml", "compose.prod.yml",
    "hooks/pre-commit",
    "tools/Hooks/commit-msg", "hooks/pre-push", ".gitlab-ci.yaml", "ci/test.gitlab-ci.yml", "action.yml",
    "actions/x/action.yaml", "AGENTS.override.md", ".rules", ".kilocode/rules/a.md", ".cline/x", ".crush.json",
    "SConstruct", "lib/SConscript", "build.zig", "Pipfile", "CMakePresets.json", "CMakeUserPresets.json",
    "meson.options", "meson_options.txt", "rules/x.bzl", "Earthfile", "Tiltfile", "api.dockerfile", "mise.toml",
    ".mise.toml", ".config/mise/config.toml", ".mvn/extensions.xml", ".mvn/wrapper/x", ".eslintrc", ".eslintrc.json",
    ".babelrc", ".babelrc.json", ".mocharc.yml", ".pylintrc", "svelte.config.js", "knip.config.ts", "x.config.mjs",
    "y.config.cjs", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".bashrc.d/10-x", ".zshrc.local",
    ".bashrc.pre", "venv/bin/activate", ".venv/bin/activate.fish", "v/bin/activate_this.py", ".devcontainer.json",
    ".zed/tasks.json", ".emacs.d/init.el", "init.el", "dots/nvim/init.lua", ".config/nvim/plugin/x.vim",
    "app.sublime-project",
]  # fmt: skip
ORDINARY = [
    "src/hooks/use_x.ts", "src/hooks/pre-commit.ts", "hooks/README.md", "webhooks/pre-push", "hooks.py",
    "src/config.ts",
    "src/config.js", "docs/x.config.js.md", "requirements.txt", "requirements-dev.txt", "src/sitecustomize_test.py",
    "src/pipfile_reader.py", "docs/Pipfile.md", "firestore.rules", "rules.ts", "src/actions.yml", "compose.md",
    "composers.yml",
    "composer.py", "mvn/x", "zed/tasks.json", "src/bin/activate.rs", "bin/activation.py", "init.lua", "src/init.ts",
    "agents/override.md", "meson.py", "scons.py", "src/build/zig.py", "cline/x", "eslintrc.md", "xsession.c",
    "src/activate", "data/mise.json", "a/b.py", "README.md", "src/index.tsx", "tests/test_hooks.py", "notes.txt",
]  # fmt: skip


@pytest.mark.parametrize("path", STEERING)
def test_r247_more_files_that_others_obey(path: str) -> None:
    assert why_protected(path) is not None and why_protected(f"deep/er/{path.upper()}") is not None


@pytest.mark.parametrize("path", ORDINARY)
def test_names_that_only_look_like_them(path: str) -> None:
    assert why_protected(path) is None and not control(path)


async def test_the_secrets_are_configurable(tmp_path: Path) -> None:
    """`options.secrets` replaces the list."""
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / "notes").write_text("n\n")
    assert not (await call(tmp_path, "fs_read_file", path=".env")).ok
    options = {"secrets": ["notes"]}
    assert (await call(tmp_path, "fs_read_file", options=options, path=".env")).ok
    assert not (await call(tmp_path, "fs_read_file", options=options, path="notes")).ok


@pytest.mark.parametrize("tool", ["fs_create_file", "fs_modify_file", "fs_move_file", "fs_delete_file"])
@pytest.mark.parametrize("path", [".env", ".git/config", "link/config", "alias"])
async def test_no_tool_changes_them(tmp_path: Path, tool: str, path: str) -> None:
    """Also through links inside the workspace; nothing is asked, so nobody can be talked into it."""
    (tmp_path / ".git").mkdir()
    for name in (".git/config", ".env", "f"):
        (tmp_path / name).write_text("x\n")
    (tmp_path / "link").symlink_to(".git")
    (tmp_path / "alias").symlink_to(".env")
    arguments: dict[str, Any] = {"path": path}
    if tool == "fs_create_file":
        arguments["content"] = "y\n"
    elif tool == "fs_modify_file":
        arguments["patterns"] = [{"old": "x", "new": "y"}]
    elif tool == "fs_move_file":
        arguments = {"source": "f", "target": path}
    if path == "alias" and tool in ("fs_move_file", "fs_delete_file"):
        return  # the link itself, which is no secret
    told = await call(tmp_path, tool, **arguments)
    assert (told.ok, told.ids) == (False, [])
    assert [(tmp_path / name).read_text() for name in (".git/config", ".env", "f")] == ["x\n"] * 3
    taken = await call(tmp_path, "fs_move_file", source=path, target="taken")
    assert (taken.ok, taken.ids) == (path == "alias", [])
