"""Flavors and Topologies of `adopted:`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from gpuplan.spec.base import DNS_SUBDOMAIN, LabelKey, Labels, LabelValue, SpecModel

ObjectName = Annotated[str, StringConstraints(pattern=f"^{DNS_SUBDOMAIN}$", max_length=253)]
"""A name of an object of Kubernetes."""
TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class AdoptedTaintSpec(SpecModel):
    """A taint of a flavor's nodes: it keeps jobs away that do not tolerate it."""

    key: LabelKey
    """Key of the taint."""
    value: LabelValue | None = None
    """Value; none by default."""
    effect: TaintEffect
    """Effect of the taint."""


class AdoptedTolerationSpec(SpecModel):
    """A toleration that Kueue adds to the pods of admitted jobs."""

    key: LabelKey | None = None
    """Key of the taint; all taints without it."""
    operator: Literal["Exists", "Equal"] | None = None
    """`Exists`: any value. `Equal`, also by default: this one."""
    value: LabelValue | None = None
    """Value of the taint."""
    effect: TaintEffect | None = None
    """Effect of the taint; all effects without it."""
    toleration_seconds: int | None = None
    """How long a `NoExecute` taint is tolerated; for ever by default."""


class AdoptedFlavorSpec(SpecModel):
    """A ResourceFlavor."""

    node_labels: Labels | None = None
    """Labels of its nodes; jobs go to nodes of any labels where there are none."""
    node_taints: Annotated[list[AdoptedTaintSpec], Field(max_length=8)] | None = None
    """Taints of its nodes, by which jobs that do not tolerate them are kept away."""
    tolerations: Annotated[list[AdoptedTolerationSpec], Field(max_length=8)] | None = None
    """Tolerations that the pods of admitted jobs get."""
    topology_name: ObjectName | None = None
    """Topology whose levels its nodes have."""


class AdoptedLevelSpec(SpecModel):
    """A level of a Topology."""

    node_label: Annotated[LabelKey, StringConstraints(max_length=316)]
    """Label that nodes of one domain share."""


class AdoptedTopologySpec(SpecModel):
    """A Topology."""

    levels: Annotated[list[AdoptedLevelSpec], Field(min_length=1, max_length=16)]
    """Levels from the widest to the narrowest."""
