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
FINDINGS = (SCHEMA, REFERENCE, IMMUTABLE)
