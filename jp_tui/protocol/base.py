"""The shape all messages share: frozen pydantic models with a pinned `type`, built only when first needed."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Wire = dict[str, Any]


class Model(BaseModel):
    """A value in a message."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
