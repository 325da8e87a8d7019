"""Generated fleets: specs that `gpuplan check` should accept, and specs with one mistake.

The hardware is drawn first and resolved by gpuplan itself; then its capacity is split into shared pools and floors. So
hardly a draw is thrown away, and examples shrink to small fleets: one cluster, one tier, one pool, no team.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.build import resolved
from tests.generated import words
from tests.generated.breaking import broken
from tests.generated.clusters import clusters
from tests.generated.demand import demand
from tests.generated.hardware import hardware
from tests.generated.policy import policies
from tests.generated.supply import Supply
from tests.generated.text import plain_text, texts

Spec = dict[str, Any]

__all__ = ["broken_fleets", "fleets", "plain_text", "specs", "texts"]


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """Return a whole spec as data, every value written out, no `defaults`."""
    platforms = draw(clusters())
    name = draw(words.decorated("acme", 49))
    spec = {"metadata": {"name": name}, "clusters": platforms, **draw(hardware(platforms))}
    fleet, found = resolved(plain_text(spec))
    assert fleet is not None, [f"{finding.at} {finding.summary}" for finding in found]
    return {**spec, **draw(demand(Supply(fleet))), **draw(policies(tuple(platforms)))}


def fleets() -> st.SearchStrategy[str]:
    """Return texts of whole fleets that should be accepted; warnings are allowed."""
    return specs().flatmap(texts)


def broken_fleets() -> st.SearchStrategy[str]:
    """Return texts of fleets with one mutation, which most often is a mistake."""
    return specs().flatmap(broken)
