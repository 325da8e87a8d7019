"""A kind that does not exist in the API version that is written above it.

Karpenter has renamed its kinds with its versions: `Provisioner` is of v1alpha5, `NodePool` of v1beta1 and v1.

Source: kubernetes-sigs/karpenter and aws/karpenter-provider-aws, upgrade guides.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="node/unknown-api-kind",
    severity=Severity.ERROR,
    summary="A kind that its API version does not have",
    why="The API server knows no such kind and refuses the object: no node is ever made.",
    fix="Write the kind of that version, with its fields.",
    bad="apiVersion: karpenter.sh/v1beta1\nkind: Provisioner",
    good="apiVersion: karpenter.sh/v1\nkind: NodePool",
)
KINDS = {
    "karpenter.sh/v1alpha5": ("Provisioner", "Machine"),
    "karpenter.sh/v1beta1": ("NodePool", "NodeClaim"),
    "karpenter.sh/v1": ("NodePool", "NodeClaim"),
    "karpenter.k8s.aws/v1alpha1": ("AWSNodeTemplate",),
    "karpenter.k8s.aws/v1beta1": ("EC2NodeClass",),
    "karpenter.k8s.aws/v1": ("EC2NodeClass",),
    "karpenter.azure.com/v1alpha2": ("AKSNodeClass",),
}
"""API version -> its kinds; of a version that is not here nothing is known."""
SUCCESSORS = {"Provisioner": "NodePool", "Machine": "NodeClaim", "AWSNodeTemplate": "EC2NodeClass"}


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each object of a known version whose kind is not in it."""
    for one in inventory.objects:
        known = KINDS.get(one.api_version, ())
        if known and one.kind and one.kind not in known and one.kind.removesuffix("List") not in known:
            others = [version for version, kinds in KINDS.items() if one.kind in kinds]
            belongs = f"; it belongs to {listed(others)}" if others else ""
            wanted = next((kind for kind in known if kind == SUCCESSORS.get(one.kind)), "")
            fix = f"Write `kind: {wanted}`, with its fields." if wanted else f"`{one.api_version}` has {listed(known)}."
            yield DOC.found(f"`{one.api_version}` has no kind `{one.kind}`{belongs}", at=one.at_kind, fix=fix)
