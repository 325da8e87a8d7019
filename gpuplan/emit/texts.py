"""Who makes the files for people that lie beside the manifests. Their words are `report`'s, so they are an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from gpuplan.emit.monitoring.alerts import RuleGroups
from gpuplan.manifests.set import TextFile
from gpuplan.model.fleet import Fleet


class Texts(NamedTuple):
    """The makers of files for people."""

    of_clusters: Callable[[Fleet], Iterable[TextFile]]
    """Makes those of every cluster of a fleet, each from nothing but that cluster."""
    of_fleet: Callable[[Fleet, RuleGroups], Iterable[TextFile]]
    """Makes those that clusters share. Of the groups it reads names and alerts, and of alerts all but their cases."""


def _none_of_clusters(_fleet: Fleet) -> Iterator[TextFile]:
    return iter(())


def _none_of_fleet(_fleet: Fleet, _rules: RuleGroups) -> Iterator[TextFile]:
    return iter(())


NO_TEXTS = Texts(_none_of_clusters, _none_of_fleet)
