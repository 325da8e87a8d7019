"""`taskPools.<name>.serving:`: which engine answers requests, and how fast it must."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from gpuplan.spec.base import SpecModel, VersionText


def _percentage(value: str | float) -> str:
    """Return a percentage as it is written, if it can be an objective."""
    try:
        percent = Decimal(str(value))
    except InvalidOperation:
        percent = Decimal(0)
    if not (percent.is_finite() and 50 <= percent < 100 and -percent.as_tuple().exponent <= 3):  # type: ignore[operator]  # finite
        raise PydanticCustomError("objective", "no objective")
    return str(percent)


Objective = Annotated[str | int | float, AfterValidator(_percentage)]


class SloSpec(SpecModel):
    """A promise on latency: so many percent of the requests within such a time."""

    latency_milliseconds: Annotated[int, Field(ge=1, le=3_600_000)]
    """Time to the first token (vLLM, SGLang) or to the whole answer (Triton, TGI); a bound of the engine's histogram."""
    objective_percent: Objective = "99"
    """Percent of the requests that keep to it, such as `99` or `99.5`."""


class ServingSpec(SpecModel):
    """The engine of an online inference task pool, whose metrics are scraped from every pod with its queue's label."""

    engine: Literal["vllm", "sglang", "triton", "tgi"]
    """What answers requests."""
    version: VersionText | None = None
    """Its version; the newest that the catalogue knows by default."""
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port of its metrics; the engine's usual one by default."""
    bounds_milliseconds: Annotated[list[Annotated[int, Field(ge=1, le=3_600_000)]], Field(max_length=100)] = []
    """Bounds of the histogram that a promise is measured by, where the engine is started with others than its usual ones."""
    slo: SloSpec | None = None
    """The promise on latency; none by default."""
