"""What all sections of the spec have in common: strict, closed models with camelCase keys, and shared value types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model
from pydantic.alias_generators import to_camel

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
DNS_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
LABEL_KEY = rf"^({DNS_SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
LABEL_VALUE = r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"

Name = Annotated[str, StringConstraints(pattern=DNS_LABEL, min_length=1, max_length=63)]
"""A name that becomes part of object names: a DNS label (RFC 1123)."""
LabelKey = Annotated[str, StringConstraints(pattern=LABEL_KEY, min_length=1, max_length=317)]
LabelValue = Annotated[str, StringConstraints(pattern=LABEL_VALUE, max_length=63)]
Labels = dict[LabelKey, LabelValue]
VersionText = Annotated[str, StringConstraints(pattern=r"^v?\d+(\.\d+)*([-+.][0-9A-Za-z.-]+)?$")]
Text = Annotated[str, StringConstraints(min_length=1)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""A number of things; the upper bound keeps sums far inside Kueue's 64-bit integers."""
Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]


Stack = Literal["operator", "manual", "external"]
"""Who runs node agents: NVIDIA's GPU Operator and its like, gpuplan's own DaemonSets, or others."""


class SpecModel(BaseModel):
    """A section of the spec. Unknown keys and loosely typed values are errors."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        defer_build=True,  # only the whole spec is ever validated: half the start-up
    )


def text_or_mapping(value: Any) -> str:
    """Tell pydantic which side of a `word | {…}` choice was written."""
    return "word" if isinstance(value, str) else "choice"


def exactly_one(model: SpecModel, *fields: str) -> None:
    """Raise pydantic's kind of error unless exactly one of the optional fields is set."""
    given = [name for name in fields if getattr(model, name) is not None]
    if len(given) != 1:
        keys = ", ".join(type(model).model_fields[name].alias or name for name in fields)
        said = f"{len(given)} are set" if given else "none is set"
        raise ValueError(f"exactly one of {keys} must be set ({said})")


def partial(model: type[SpecModel]) -> type[SpecModel]:
    """Return the model with every field optional: what `defaults:` may hold for a section."""
    fields: dict[str, Any] = {
        name: (field.rebuild_annotation() | None, Field(default=None, alias=field.alias))
        for name, field in model.model_fields.items()
    }
    made: type[SpecModel] = create_model(f"{model.__name__}Defaults", __base__=SpecModel, **fields)
    return made
