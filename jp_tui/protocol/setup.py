"""The first run: what is found on this machine, whether a model answers, and the configuration that is written then.

Values and messages. Nothing of it holds a key; a variable is named, its value stays in the environment (S20).
"""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model
from jp_tui.protocol.models import ServerSpec


class FoundServer(Model):
    """A server that can be used: its variable is set (`variable`), or it answers on this machine (`local`), or it is
    one of the user's own elsewhere that needs no key and was not asked (neither).

    `models` are those a local server lists; `default_model` is what is used when nobody names another, may be empty.
    """

    provider: str
    wire: str
    base_url: str
    variable: str = ""
    local: bool = False
    default_model: str = ""
    models: tuple[str, ...] = ()


class ProbeSetup(Model):
    """Look for credentials in the environment and for servers on this machine; answered by SetupFound."""

    type: Literal["probe_setup"] = "probe_setup"


class SetupFound(Model):
    """What there is. `file` is the configuration that would be written, `exists` whether it is there already;
    `model` and `reviewer` are what it says now, empty where it says nothing. `looked` are variables that are not set,
    and addresses of this machine where nothing listens, in words for people."""

    type: Literal["setup_found"] = "setup_found"
    servers: tuple[FoundServer, ...]
    file: str
    exists: bool
    model: str = ""
    reviewer: str = ""
    looked: tuple[str, ...] = ()


class TestModel(Model):
    """Ask a model for a word or two; answered by ModelTested. `server` is one that is not configured yet, then `model`
    begins with its name."""

    __test__ = False  # no test, whatever its name says

    type: Literal["test_model"] = "test_model"
    model: str
    server: ServerSpec | None = None


class ModelTested(Model):
    """Whether it answered: after `ms` milliseconds, or what happened (`message`) and what to do (`advice`)."""

    type: Literal["model_tested"] = "model_tested"
    model: str
    ok: bool
    ms: int = 0
    message: str = ""
    advice: str = ""


class SaveSetup(Model):
    """Write the choice to the user's file: comments explain a new one, in one that is there only these keys are set.
    Answered by SetupSaved or Refused; then the next new conversation of this run is held with `model`."""

    type: Literal["save_setup"] = "save_setup"
    model: str
    reviewer: str = ""
    server: ServerSpec | None = None


class SetupSaved(Model):
    """What was written and where; `created` when there was no file. `keys` are (key, TOML value). `hidden_by` is where
    another model is named, which holds at the next start: a variable, a flag, the folder's own file."""

    type: Literal["setup_saved"] = "setup_saved"
    model: str
    file: str
    created: bool
    keys: tuple[tuple[str, str], ...]
    hidden_by: str = ""
