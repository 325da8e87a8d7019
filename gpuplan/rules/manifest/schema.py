"""An object that does not have the shape of its kind.

A misspelt or misplaced field, a value of the wrong type, a word that is no choice, a field too few. `kubectl` and Argo CD ask the
server to be strict, and it refuses the object; a controller or an older client writes it without the unknown field, and nobody
learns that it had no effect. Kinds of Kubernetes and Kueue are judged by the newest release that we know, other custom resources
by one release: an unknown field there that is like no known one may be newer, and is a warning.

Source: OpenAPI of Kubernetes 1.36 and of the CRDs, Kueue 0.19.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.reading.templates import is_placeholder
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.validate.faults import Fault, Word, faults
from gpuplan.validate.lenient import is_builtin
from gpuplan.versions import required

DOC = RuleDoc(
    id="manifest/schema",
    severity=Severity.ERROR,
    summary="An object that does not have the shape of its kind",
    why="The API server refuses the object, or drops the field in silence where the client does not ask it to be strict.",
    fix="Write the field as the kind has it.",
    bad="""\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: vision}
spec: {cohort: research}
""",
    good="""\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: vision}
spec: {cohortName: research}
""",
)

KNOWN_KUBERNETES, KNOWN_KUEUE = required("1.36"), required("0.19")
FILLED_IN = frozenset(
    {
        ("ClusterQueue", "v1beta1", "nominalQuota"),
        ("ClusterQueue", "v1beta2", "nominalQuota"),
        ("ClusterQueue", "v1beta1", "admissionMode"),
        ("MultiKueueCluster", "v1beta1", "locationType"),
    }
)
"""Kind, version and required field that Kueue's webhooks write into an object on its way, empty or 0."""
AMOUNTS = frozenset({"nominalQuota", "borrowingLimit", "lendingLimit", "weight"})
FILLED_WHY = "Kueue's webhook fills it in: a quota of 0. Without the webhook, and in a Cohort, the API server refuses the object."
NUMBER_WHY = "Kueue's webhook rewrites it. Without the webhook, and in a Cohort, the API server refuses the object."
DROPPED = frozenset(
    {
        *("cohort", "policy", "queueingStrategy", "reclaimWithinCohort"),
        *("whenCanBorrow", "whenCanPreempt", "withinClusterQueue"),
    }
)
DROPPED_WHY = (
    "The conversion to v1beta2 drops the empty text: it counts as not written. In v1beta2 the API server refuses it."
)
TOO_LARGE = frozenset({"resourceGroups", "flavors", "coveredResources", "resources"})
FUNGIBILITY = ("Borrow", "Preempt")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each fault that no rule of its own speaks of."""
    for one in written.whole(inventory):
        for fault in faults(one.api_version, one.kind, one.data):
            if not (_is_said_elsewhere(one, fault) or is_placeholder(_value(one, fault)) or _is_completed(one, fault)):
                severity = _severity(inventory, one, fault)
                if severity is not None:
                    at = one.places.at(fault.path, key=True)
                    detail = _mended(one, fault)
                    severity = Severity.WARNING if detail else severity
                    yield DOC.found(f"{one}: {fault.summary}", at=at, fix=fault.fix, severity=severity, detail=detail)


def _severity(inventory: Inventory, one: Object, fault: Fault) -> Severity | None:
    """Return how bad a fault is; None where it may be none on the version that is assumed."""
    versions = inventory.assumed.versions
    ours = one.group == written.KUEUE
    newer = versions.get("kueue") if ours else versions.get("kubernetes") if is_builtin(one.api_version) else None
    unknown = fault.word in (Word.UNKNOWN, Word.VALUE)
    if unknown and newer is not None and newer.release[:2] > (KNOWN_KUEUE if ours else KNOWN_KUBERNETES).release[:2]:
        return None
    if fault.word is Word.MISSING and fault.field == "selector" and one.group == "apps":
        return Severity.WARNING  # kustomize's labels may bring it
    if fault.word is Word.UNKNOWN and not ours and not is_builtin(one.api_version) and not fault.fix.startswith("Did"):
        return Severity.WARNING
    return Severity.ERROR


def _mended(one: Object, fault: Fault) -> str | None:
    """Return how the object is accepted all the same, since Kueue's webhooks write it anew before it is checked."""
    if one.group != written.KUEUE:
        return None
    if fault.word is Word.MISSING:
        filled = (one.kind, one.api_version.rpartition("/")[2], fault.field) in FILLED_IN
        nameless = one.api_version == written.V1BETA1 and "admissionChecks" in fault.path
        return FILLED_WHY if filled or nameless else None
    value = _value(one, fault)
    if value == "" and one.api_version == written.V1BETA1 and one.kind == "ClusterQueue" and fault.path[-1] in DROPPED:
        return DROPPED_WHY
    number = isinstance(value, int | float) and not isinstance(value, bool) and fault.word in (Word.TYPE, Word.SIZE)
    return NUMBER_WHY if number and one.kind == "ClusterQueue" and fault.path[-1] in AMOUNTS else None


def _is_said_elsewhere(one: Object, fault: Fault) -> bool:
    """Tell whether a rule of its own finds this: sizes of queues by version, words that only v1beta1 has."""
    if one.group != written.KUEUE:
        return False
    if fault.word is Word.SIZE:
        return one.kind in ("ClusterQueue", "Cohort") and fault.path[-1] in TOO_LARGE and "at most" in fault.summary
    value = _value(one, fault)
    newer = one.api_version != written.V1BETA1
    return newer and fault.word is Word.VALUE and "flavorFungibility" in fault.path and value in FUNGIBILITY


def _is_completed(one: Object, fault: Fault) -> bool:
    """Tell whether what is missing may stand in another part of the object. That a controller has no selector is said."""
    return fault.word is Word.MISSING and written.is_part(one) and (fault.field != "selector" or _is_named_patch(one))


def _is_named_patch(one: Object) -> bool:
    return "patch" in one.file.rpartition("/")[2]


def _value(one: Object, fault: Fault) -> object:
    value: object = one.data
    for segment in fault.path:
        try:
            value = value[segment]  # type: ignore[index]  # the path was found in this very object
        except (KeyError, IndexError, TypeError):
            return None
    return value
