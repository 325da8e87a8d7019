"""What can be wrong with rendered objects, in words."""

from __future__ import annotations

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

SCHEMA = RuleDoc(
    id="validate/schema",
    severity=Severity.ERROR,
    summary="A rendered object that the API server would refuse",
    why="The object does not fit the schema of its kind. The spec was accepted, so this is a fault of gpuplan.",
    fix="Report it with the lines above; until then, change the entry of the spec that the finding points at.",
    bad="# no spec should lead here",
    good="# every spec that `gpuplan check` accepts",
)
REFERENCE = RuleDoc(
    id="validate/reference",
    severity=Severity.ERROR,
    summary="A rendered object that refers to one which is not rendered",
    why="The cluster would accept it and then do nothing. The spec was accepted, so this is a fault of gpuplan.",
    fix="Report it with the lines above; until then, change the entry of the spec that the finding points at.",
    bad="# no spec should lead here",
    good="# every spec that `gpuplan check` accepts",
)
IMMUTABLE = RuleDoc(
    id="render/immutable-field",
    severity=Severity.ERROR,
    summary="A change to a field that the API server keeps for ever",
    why="The object exists under this name in `rendered/`, and the API server refuses to change the field: the sync would "
    "stop there.",
    fix="Keep the old value, or delete the object on the cluster together with its file in `rendered/`, and render again. "
    "Flavors and topologies have `revision` for it.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb], topology: {levels: [kubernetes.io/hostname]}}   # had more levels",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb], topology: {levels: [kubernetes.io/hostname]}, revision: 1}",
)
UPGRADE_TOO_FAR = RuleDoc(
    id="render/upgrade-too-far",
    severity=Severity.ERROR,
    summary="An upgrade of the GPU Operator that leaves out a release line",
    why="The operator is upgraded within its release line or to the next one. Over more than one nobody tries it: fields of its "
    "custom resources and the state that it keeps on nodes change from line to line.",
    fix="Go from line to line, and let each sync before the next.",
    bad="clusters:\n  eu: {kubernetes: '1.33', stack: operator, components: {gpuOperator: {version: v26.7.0}}}   # had v24.9.2",
    good="clusters:\n  eu: {kubernetes: '1.33', stack: operator, components: {gpuOperator: {version: v25.3.4}}}   # had v24.9.2",
)
UPGRADE_SKIPS = RuleDoc(
    id="render/upgrade-skips-stop",
    severity=Severity.WARNING,
    summary="An upgrade past a version at which work has to be done",
    why="That version changes what is stored, and later ones count on it.",
    fix="Stop at that version on the way.",
    bad="clusters:\n  eu: {kubernetes: '1.34', components: {kueue: {version: v0.19.2}}}   # had v0.15.2",
    good="clusters:\n  eu: {kubernetes: '1.34', components: {kueue: {version: v0.16.1}}}   # had v0.15.2",
)
DOWNGRADE = RuleDoc(
    id="render/downgrade",
    severity=Severity.WARNING,
    summary="A component or driver that goes back to an older version",
    why="An older version may not read what the newer one has stored, and drops fields that it does not know. An older driver "
    "stops programs that were built for the newer one.",
    fix="Keep the version, or try the way back on a cluster or pool that may break.",
    bad="nodePools:\n  a: {driver: {branch: '580'}}   # had 595",
    good="nodePools:\n  a: {driver: {branch: '595'}}",
)
OPERATOR_STAYS = RuleDoc(
    id="render/operator-stays",
    severity=Severity.WARNING,
    summary="A GPU Operator that runs on after its last pool has left",
    why="Its Application leaves with its pools, and what that made stays: two device plugins would offer the cards of each node.",
    fix="Take the operator away before the change is merged.",
    bad="clusters:\n  eu: {kubernetes: '1.36', stack: manual}   # had stack: operator",
    good="clusters:\n  eu: {kubernetes: '1.36', stack: operator}",
)
NODES_KEEP_LABELS = RuleDoc(
    id="render/nodes-keep-labels",
    severity=Severity.WARNING,
    summary="Nodes whose labels no longer say which device plugin serves them",
    why="A provisioner labels the nodes that it makes from now on. On those that are there, two device plugins would offer the "
    "same cards, or none would, until somebody labels them.",
    fix="Label the nodes, too.",
    bad="clusters:\n  eu: {stack: manual}\nnodePools:\n  a: {selectedBy: {provisioner: kubelet}, stack: operator}   # had none",
    good="clusters:\n  eu: {stack: manual}\nnodePools:\n  a: {selectedBy: {nfd: {}}, stack: operator}",
)
FINDINGS = (
    SCHEMA,
    REFERENCE,
    IMMUTABLE,
    UPGRADE_TOO_FAR,
    UPGRADE_SKIPS,
    DOWNGRADE,
    OPERATOR_STAYS,
    NODES_KEEP_LABELS,
)
