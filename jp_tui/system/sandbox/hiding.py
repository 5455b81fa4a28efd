"""Names of places with secrets, and the places that can be hidden without breaking the system. Pure."""

from __future__ import annotations

from jp_tui.system.sandbox.mounts import beneath

SENSITIVE = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".oci", ".bluemix", ".terraform.d", ".vault-token",
    ".config", ".config/gcloud", ".config/gh", ".config/git/credentials", ".config/op", ".config/rclone",
    ".config/containers", ".config/google-chrome", ".config/chromium", ".password-store", ".pki", ".mozilla",
    ".thunderbird", ".local/share/keyrings", ".local/share/kwalletd", ".local/share/TelegramDesktop", ".var", "snap",
    ".netrc", "_netrc", ".git-credentials", ".gitconfig.local", ".pgpass", ".my.cnf", ".mylogin.cnf", ".pypirc",
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".condarc", ".continuum", ".gem/credentials", ".bundle/config",
    ".cargo/credentials", ".cargo/credentials.toml", ".cargo/config", ".cargo/config.toml", ".m2/settings.xml",
    ".m2/settings-security.xml", ".gradle/gradle.properties", ".gradle/init.d", ".ivy2/.credentials",
    ".sbt/.credentials", ".cabal/config", ".julia/servers", ".composer/auth.json", ".pub-cache/credentials.json",
    ".nuget/NuGet", ".boto", ".s3cfg", ".fetchmailrc", ".msmtprc", ".mutt", ".purple", ".Xauthority", ".ICEauthority",
    ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
    ".rediscli_history", ".sqlite_history", ".lesshst", ".viminfo", ".claude", ".codex", ".gemini", ".bitcoin",
    ".ethereum", ".electrum",
)  # fmt: skip
"""Usual places of credentials, keys or histories in a home folder. Never visible, whatever the settings."""

CREDENTIALS = (
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_CONFIG_DIR",
    "BOTO_CONFIG", "CLOUDSDK_CONFIG", "COMPOSER_HOME", "DOCKER_CONFIG", "GH_CONFIG_DIR", "GNUPGHOME",
    "GOOGLE_APPLICATION_CREDENTIALS", "HISTFILE", "ICEAUTHORITY", "KRB5CCNAME", "KRB5_KTNAME", "KUBECONFIG", "NETRC",
    "NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "PASSWORD_STORE_DIR", "PGPASSFILE", "PGSERVICEFILE",
    "PIP_CONFIG_FILE", "RCLONE_CONFIG", "REGISTRY_AUTH_FILE", "SOPS_AGE_KEY_FILE", "TF_CLI_CONFIG_FILE",
    "XAUTHORITY",
)  # fmt: skip
"""Variables that name a file or folder of credentials."""
SOCKETS = (
    "SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DOCKER_HOST", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS", "WAYLAND_DISPLAY", "PULSE_SERVER", "TMUX", "KITTY_LISTEN_ON", "NVIM", "VSCODE_IPC_HOOK",
    "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "LISTEN_FDS_SOCKET", "BUILDKIT_HOST",
)  # fmt: skip
"""Variables that name a socket."""

_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev", "/boot",
             "/nix/store", "/gnu/store")  # fmt: skip
_ABOVE = ("/", "/opt", "/var", "/var/lib", "/snap", "/nix", "/gnu", "/srv")


def hideable(path: str) -> bool:
    """Return False for what programs need to run: parts of the system, and folders that contain them."""
    return path not in _ABOVE and not any(beneath(path, one) for one in _PROGRAMS)


def named_paths(value: str) -> list[str]:
    """Return the absolute paths in a variable: alone, in a list, or after `unix:path=`, `unix://` or `FILE:`."""
    found = [value] if value.startswith("/") else []
    for word in value.replace(";", ":").replace(",", ":").replace("=", ":").split(":"):
        path = "/" + word.lstrip("/")
        if word.startswith("/") and len(path) > 1:
            found.append(path)
    return list(dict.fromkeys(found))
