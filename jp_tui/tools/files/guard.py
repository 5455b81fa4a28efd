"""Protected files by name (hostile `paths` cases; inquiries.md R247).

Secrets are never read, shown, copied or changed; control files of git and jp-tui are never written; files that other
programs or agents obey are written only with a person's consent. The real path after links decides, normalized for
case, invisible characters and trailing dots, so that spelling can't bypass the check.
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
"""Names of files that usually contain secrets; a rule with a slash matches the end of a path, `!` makes an
exception."""

CONTROL = frozenset({".git", "git~1", ".jp-tui", ".jp_tui"})

_INSTRUCTIONS = (
    "agents.md", "agent.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md", "crush.md", "warp.md",
    "skill.md", "copilot-instructions.md", "*.instructions.md", "*.prompt.md", ".cursorrules", ".windsurfrules",
    ".clinerules", ".roorules*", ".goosehints", ".mcp.json", "mcp.json", "mcp_config.json", "opencode.json*",
    ".aider.conf.y*ml", ".cursor/*", ".windsurf/*", ".claude/*", ".codex/*", ".gemini/*", ".qwen/*", ".opencode/*",
    ".continue/*", ".clinerules/*", ".roo/*", ".amazonq/*", ".kiro/*", ".junie/*", ".crush/*", ".vibe/*",
    ".agents/*", ".agent/*", "agents.override.md", "agents.local.md", "*.mdc", ".rules", ".kilocode/*",
    ".kilocoderules*", ".kilocodemodes", ".roomodes", ".cline/*", ".crush.json", "crush.json", ".augment/*", ".trae/*",
    ".openhands/*", ".factory/*", ".goose/*",
)  # fmt: skip
_BUILT = (
    "makefile", "makefile.am", "makefile.in", "gnumakefile", "*.mk", "justfile", ".justfile", "rakefile",
    "taskfile.y*ml", "cmakelists.txt", "*.cmake", "meson.build", "build.gradle*", "settings.gradle*", "gradlew*",
    "gradle.properties", "pom.xml", "mvnw*", "build.xml", "build.sbt", "build.rs", "cargo.toml", ".cargo/config*",
    "configure", "configure.ac", "package.json", "deno.json*", "bunfig.toml", "composer.json", "gemfile",
    "*.gemspec", "podfile", "brewfile", "procfile", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini",
    "noxfile.py", "pytest.ini", "conftest.py", "dodo.py", "build", "build.bazel", "workspace", "workspace.bazel",
    "module.bazel", ".bazelrc", "flake.nix", "default.nix", "shell.nix", "vagrantfile", "dockerfile*",
    "containerfile*", "*.dockerfile", "*.containerfile", "docker-compose*.y*ml", "compose.y*ml", "compose.*.y*ml",
    "compose-*.y*ml", "gulpfile.*", "gruntfile.*", "webpack.config.*",
    "vite.config.*", "rollup.config.*", "jest.config.*", "vitest.config.*", "babel.config.*", "eslint.config.*",
    ".eslintrc*", "prettier.config.*", "postcss.config.*", "next.config.*", "tailwind.config.*",
    "playwright.config.*", "karma.conf.*", "mix.exs", "rebar.config", "dune", "stack.yaml", "*.cabal", "setup.hs",
    "package.swift", "*.csproj", "*.fsproj", "*.vbproj", "*.props", "*.targets", "nuget.config",
    "sconstruct", "sconscript", "build.zig", "build.zig.zon", "pipfile", "cmakepresets.json", "cmakeuserpresets.json",
    "meson.options", "meson_options.txt", "*.bzl", "buck", ".buckconfig*", "pants.toml", "earthfile", "tiltfile",
    "snakefile", "wscript", "jakefile*", "cakefile", "binding.gyp", "skaffold.y*ml", "serverless.y*ml", "wrangler.*",
    "mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml", "mise/config*.toml", ".mvn/*", ".babelrc*", ".swcrc*",
    ".mocharc*", ".nycrc*", ".stylelintrc*", ".prettierrc*", ".commitlintrc*", ".releaserc*", ".pylintrc", "pylintrc",
    "svelte.config.*", "*.config.js", "*.config.mjs", "*.config.cjs", "*.config.jsx", "*.config.ts", "*.config.mts",
    "*.config.cts", "*.config.tsx", "angular.json", "nx.json", "turbo.json", "hatch.toml", "devenv.nix",
)  # fmt: skip
_STARTED = (
    "sitecustomize.py", "usercustomize.py", "sitecustomize/*", "usercustomize/*", "*.pth", ".pdbrc", ".pythonrc*",
    "pip.conf", ".envrc", ".npmrc",
    ".yarnrc*", ".pnpmfile.cjs", ".pnp.*js", ".pre-commit-config.yaml", "lefthook.y*ml", ".lefthook.y*ml",
    ".huskyrc*", ".lintstagedrc*", ".gitattributes", ".gitmodules", ".gitconfig", ".hgrc", ".bashrc",
    ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", "config.fish", ".inputrc", ".vimrc", ".nvimrc",
    ".exrc", ".emacs", ".dir-locals.el", ".tmux.conf", ".screenrc", ".gdbinit", ".lldbinit", ".irbrc", ".rprofile",
    ".julia/config/*", ".config/fish/*", ".config/git/*", ".config/systemd/*", ".config/autostart/*", ".ssh/*",
    ".gnupg/*", "crontab", "*.crontab", "*.service", "*.timer", "*.desktop", "*.code-workspace", ".vscode/*",
    ".idea/*", ".fleet/*", ".devcontainer/*", "devcontainer.json", ".husky/*", ".githooks/*", ".git-hooks/*",
    "git-hooks/*", "*.gitlab-ci.y*ml", "jenkinsfile*", "azure-pipelines*.y*ml", "bitbucket-pipelines.yml",
    ".travis.yml", ".drone.y*ml", ".woodpecker.y*ml", "appveyor.yml", ".appveyor.yml", "cloudbuild.y*ml",
    "buildspec*.y*ml", "wercker.yml", ".cirrus.yml", ".semaphore/*", ".buildkite/*", ".circleci/*", ".woodpecker/*",
    ".teamcity/*", ".github/*", ".gitlab/*", ".gitea/*", ".forgejo/*", "action.yml", "action.yaml", ".xprofile",
    ".xinitrc", ".xserverrc", ".xsession*", ".pam_environment", ".config/environment.d/*", ".bashrc.*", ".bashrc.d/*",
    ".zshrc.*", ".zshrc.d/*", ".zshenv.*", ".profile.*", ".config/zsh/*", "config.nu", "env.nu", "profile.ps1",
    "*_profile.ps1", "bin/activate", "bin/activate.csh", "bin/activate.fish", "bin/activate.nu", "bin/activate.ps1",
    "bin/activate.bat", "bin/activate.xsh", "bin/activate_this.py", ".devcontainer.json", ".zed/*", ".emacs.d/*",
    ".config/emacs/*", ".doom.d/*", "init.el", "early-init.el", ".config/nvim/*", "nvim/*", ".vim/*",
    "*.sublime-project",
)  # fmt: skip
_HOOKS = tuple(
    f"hooks/{name}"
    for name in (
        "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
        "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
        "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
        "post-rewrite", "post-index-change", "sendemail-validate", "fsmonitor-watchman",
    )
)  # fmt: skip
"""Git hooks in any folder, by their exact names, because other files also live in folders called hooks."""
_OBEYED = (*_BUILT, *_STARTED, *_HOOKS)


class _Started:
    """Files that programs of the settings start, as real paths in the workspace (mcp.md P2). One set for the process:
    sessions of several folders only guard more."""

    files: frozenset[str] = frozenset()


def guard_started(files: Iterable[str]) -> None:
    """Guard these files too: a program that the settings start runs what they say."""
    _Started.files |= frozenset(files)


def secret(real: str, rules: Iterable[str] = SECRETS) -> bool:
    """True if the file at this real path usually contains secrets. The last matching rule decides."""
    parts = _parts(real)
    found = False
    for rule in rules:
        kept = rule.startswith("!")
        if _fits(parts, rule.removeprefix("!").casefold()):
            found = not kept
    return found


def control(real: str) -> bool:
    """True if a write here would change the behaviour of git or jp-tui."""
    return not CONTROL.isdisjoint(_parts(real))


def why_protected(real: str) -> str | None:
    """Return why only a person may decide about a change of this file, as a clause; None for an ordinary file."""
    if real in _Started.files:
        return "an MCP server that your settings start runs it"
    parts = _parts(real)
    if any(_fits(parts, rule) for rule in _INSTRUCTIONS):
        return "agents take instructions from it"
    if any(_fits(parts, rule) for rule in _OBEYED):
        return "other programs run what it says"
    return None


def _parts(real: str) -> list[str]:
    return [visible(part).casefold().rstrip(". ") or part for part in real.split("/")]


def _fits(parts: list[str], rule: str) -> bool:
    """True if the path's end matches the rule; `dir/*` covers everything below that folder."""
    steps = rule.split("/")
    if len(steps) == 1:
        return fnmatchcase(parts[-1], rule)
    if steps[-1] == "*":
        head, last = steps[:-1], len(parts) - len(steps) + 1
        return any(parts[at : at + len(head)] == head for at in range(last))
    return len(parts) >= len(steps) and all(map(fnmatchcase, parts[-len(steps) :], steps))
