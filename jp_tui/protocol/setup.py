"""The first run: credentials and servers on this machine, a test of a model, and the configuration to write.

Values and messages. None of them holds a key; a variable is named, its value stays in the environment (S20).
"""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model
from jp_tui.protocol.models import ServerSpec


class FoundServer(Model):
    """A server that can be used: its variable is set (`variable`), it answers on this machine (`local`), or it is one
    of the user's own elsewhere that needs no key and was not probed (neither).

    `models` are those a local server lists; `default_model` is used when none is named, may be empty.
    """

    provider: str
    wire: str
    base_url: str
    variable: str = ""
    local: bool = False
    default_model: str = ""
    models: tuple[str, ...] = ()


class FoundAgent(Model):
    """An agent of another maker that is installed and not set up: its name, and the command that starts it (N40)."""

    name: str
    command: tuple[str, ...]


class ProbeSetup(Model):
    """Look for credentials in the environment and for servers on this machine; answered by SetupFound."""

    type: Literal["probe_setup"] = "probe_setup"


class SetupFound(Model):
    """The result of ProbeSetup. `file` is the configuration to write, `exists`: it is there already; `model` and
    `reviewer` are its current values, empty if not set. `looked` are variables that are not set, and addresses of this
    machine without a server, as text for the user."""

    type: Literal["setup_found"] = "setup_found"
    servers: tuple[FoundServer, ...]
    file: str
    exists: bool
    model: str = ""
    reviewer: str = ""
    looked: tuple[str, ...] = ()
    agents: tuple[FoundAgent, ...] = ()


class TestModel(Model):
    """Ask a model for a short reply, or start an agent; answered by ModelTested. `server` and `agent` are not
    configured yet; `model` begins with a server's name."""

    __test__ = False  # pytest must not collect this class

    type: Literal["test_model"] = "test_model"
    model: str
    server: ServerSpec | None = None
    agent: FoundAgent | None = None


class ModelTested(Model):
    """The result of TestModel: `ms` is the response time in milliseconds; on failure `message` and `advice` are set."""

    type: Literal["model_tested"] = "model_tested"
    model: str
    ok: bool
    ms: int = 0
    message: str = ""
    advice: str = ""


class SaveSetup(Model):
    """Write the choice to the user's file: comments explain a new file, in an existing one only these keys are set.
    Answered by SetupSaved or Refused; the next new conversation of this run then uses `model`."""

    type: Literal["save_setup"] = "save_setup"
    model: str
    reviewer: str = ""
    server: ServerSpec | None = None
    agent: FoundAgent | None = None


class SetupSaved(Model):
    """The file that was written; `created` when it is new. `keys` are (key, TOML value). `hidden_by` is the place that
    sets another model, which applies at the next start: a variable, a flag, the folder's own file."""

    type: Literal["setup_saved"] = "setup_saved"
    model: str
    file: str
    created: bool
    keys: tuple[tuple[str, str], ...]
    hidden_by: str = ""
