"""Models that can be used: the servers' own lists, with what is known of each model (issue 8 "Models").

Values and two messages, never with a key or a header value. A server's description of itself is untrusted: an id is
kept only if all of it is printable, and is shown like any untrusted text.
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.model import EffortChoice, EffortSupport
from jp_tui.protocol.base import Model


class ServerSpec(Model):
    """A model server that is not configured yet. `api_key_env` names a variable, never the key itself (S20)."""

    name: str
    wire: str
    base_url: str = ""
    api_key_env: str = ""


class ModelInfo(Model):
    """One model. `id` is provider/model as `--model` takes it, `provider` and `model` its two parts.

    `aliases` are its other names in the configuration. `window` is its context in tokens, prices are US dollars per
    million tokens, `images`: it accepts images; None is unknown. `listed`: its server lists it, else only jp-tui's data
    or the configuration name it. `default`: the model if none is named. `effort`: the way it is set (wires.md W8).
    `about`: what its agent says of it.
    """

    id: str
    provider: str
    model: str
    aliases: tuple[str, ...] = ()
    about: str = ""
    window: int | None = None
    input: float | None = None
    output: float | None = None
    cached: float | None = None
    images: bool | None = None
    listed: bool = True
    default: bool = False
    effort: EffortSupport = "level"


class ServerProblem(Model):
    """A server that could not be asked: what happened and what to do, one line each. `kind` is ModelError's."""

    provider: str
    kind: str
    message: str
    advice: str = ""


class MissingKey(Model):
    """A provider that was not asked because its variable is not set."""

    provider: str
    variable: str


class ListModels(Model):
    """List the models of one provider, or with an empty `provider` of all that have a credential or need none; answered
    by ModelsListed. `server` is one that is not configured yet; then it alone is asked. `conversation` is an open one
    whose effort is reported too. Refused for an unknown provider.
    """

    type: Literal["list_models"] = "list_models"
    provider: str = ""
    server: ServerSpec | None = None
    conversation: str = ""


class ModelsListed(Model):
    """The models, by provider in their order, in a server's own order; `provider` is that of the request (the server's
    name if one was given), `effort` the conversation's. Sent after 5 seconds at most; servers that don't answer are in
    `problems`."""

    type: Literal["models_listed"] = "models_listed"
    models: tuple[ModelInfo, ...]
    problems: tuple[ServerProblem, ...] = ()
    missing: tuple[MissingKey, ...] = ()
    provider: str = ""
    effort: EffortChoice = "default"
