"""Base class of all messages: frozen data classes with a pinned `type`, checked and converted by pydantic where they
come in or go out as JSON.

Inside the program a message is made by typed code, which mypy checks. So making one costs an assignment for each field,
and pydantic, whose import and classes take a seventh of the workspace's start, is loaded by the first conversion only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from pydantic import TypeAdapter

Wire = dict[str, Any]


def _described(schema: Wire, model: type[Model]) -> None:
    """Add the class's docstring to its JSON Schema: pydantic leaves out those of data classes."""
    if model.__doc__:
        schema.setdefault("description", " ".join(model.__doc__.split()))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Model:
    """A value in a message. Its methods have the names of pydantic's."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid", "json_schema_extra": _described}
    model_fields: ClassVar[Mapping[str, Field[Any]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.model_fields = vars(dataclass(frozen=True, kw_only=True)(cls))["__dataclass_fields__"]

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """Return a copy with other values, which aren't checked."""
        return replace(self, **(update or {}))  # type: ignore[type-var]

    @classmethod
    def model_validate(cls, given: Any) -> Self:
        """Return the message with these values, converted. Raises pydantic's ValidationError."""
        made: Self = adapter(cls).validate_python(given)
        return made

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        """Return the message in a JSON text. Raises pydantic's ValidationError."""
        made: Self = adapter(cls).validate_json(text)
        return made

    def model_dump(self, **how: Any) -> dict[str, Any]:
        """Return the values as a dict, with the options of pydantic."""
        values: dict[str, Any] = adapter(type(self)).dump_python(self, **how)
        return values

    def model_dump_json(self, **how: Any) -> str:
        """Return the values as a JSON text, with the options of pydantic."""
        return adapter(type(self)).dump_json(self, **how).decode()


_ADAPTERS: dict[type[Model], TypeAdapter[Any]] = {}


def adapter(model: type[Model]) -> TypeAdapter[Any]:
    """Return what checks and converts a message, made at its first use."""
    if model not in _ADAPTERS:
        from pydantic import TypeAdapter

        _ADAPTERS[model] = TypeAdapter(model)
    return _ADAPTERS[model]


@dataclass(frozen=True, slots=True)
class OneOf:
    """Marks a union of messages: the value of this field says which of them one is."""

    field: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from typing import Annotated

        from pydantic import Field

        return handler.generate_schema(Annotated[source, Field(discriminator=self.field)])
