"""Which models can be used: as the servers list them themselves, with what is known of each (issue 8 "Models").

Values and two messages; no key and no header value ever stands in one. What a server says of itself is untrusted: an id
is kept only when all of it can be printed, and is shown like any foreign text.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jp_tui.protocol.base import Model


class ServerSpec(Model):
    """A model server that is not configured yet. `api_key_env` names a variable; a key never stands here (S20)."""

    name: str
    wire: str
    base_url: str = ""
    api_key_env: str = ""


class ModelInfo(Model):
    """One model. `id` is provider/model as `--model` takes it, `provider` and `model` its two parts.

    `aliases` are other names of it from the configuration. `window` is its context in tokens, prices are US dollars a
    million tokens, `images` whether it takes any; None is not known. `listed`: its server says that it is there, else
    only our data or the configuration name it. `default`: what is used when nobody names another.
    """

    id: str
    provider: str
    model: str
    aliases: tuple[str, ...] = ()
    window: int | None = None
    input: float | None = None
    output: float | None = None
    cached: float | None = None
    images: bool | None = None
    listed: bool = True
    default: bool = False


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
    """Answered by ModelsListed: of one provider, or with an empty `provider` of all that have a credential or need
    none. `server` is one that is not configured yet; then it alone is asked. Refused for a provider that there is not.
    """

    type: Literal["list_models"] = "list_models"
    provider: str = ""
    server: ServerSpec | None = None


class ModelsListed(Model):
    """What ListModels found, by provider in their order, in a server's own order; `provider` is as asked for (the
    server's name where one was given). Comes after 5 seconds at most, whatever does not answer is in `problems`."""

    type: Literal["models_listed"] = "models_listed"
    models: tuple[ModelInfo, ...]
    problems: tuple[ServerProblem, ...] = ()
    missing: tuple[MissingKey, ...] = ()
    provider: str = Field(default="")
