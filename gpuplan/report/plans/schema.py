"""The JSON Schema (draft-07) of `plan.json`, for who reads it by a program: `gpuplan schema --of plan`."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from gpuplan.compare import ChangeKind
from gpuplan.plan import Risk
from gpuplan.plan.parts import Action
from gpuplan.plan.promise import Worth
from gpuplan.report.plans.data import FORMAT_VERSION

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NAME: Final[Schema] = {"type": ["string", "null"]}
FLAG: Final[Schema] = {"type": "boolean"}
NUMBER: Final[Schema] = {"type": "integer"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
LIMIT: Final[Schema] = {"type": ["integer", "null"], "minimum": 0, "description": "In pieces; null is without end."}
ANYTHING: Final[Schema] = {"description": "A value as JSON knows it."}
SHARE: Final[Schema] = {
    "type": ["string", "null"],
    "pattern": r"^[0-9]+(/[0-9]+)?$",
    "description": "Cards of one piece, as a whole number or a fraction such as 1/7; null where it is not known.",
}
RISK: Final[Schema] = {"enum": [risk.value for risk in Risk]}


def _each(of: Schema, says: str = "") -> Schema:
    return {"type": "array", "items": of} | ({"description": says} if says else {})


def _map(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _said(says: str, of: Schema, *optional: str) -> Schema:
    """Return a map with its meaning, and without the need of some keys."""
    return of | {"required": [name for name in of["required"] if name not in optional], "description": says}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


CAUSES: Final = _each(_ref("cause"), "What in the spec led to it; none where it is unknown.")
REFERENCE: Final[dict[str, Schema]] = {
    "cluster": {**NAME, "description": "null is the cluster that Argo CD runs in."},
    "api_version": TEXT,
    "kind": TEXT,
    "namespace": TEXT,
    "name": TEXT,
}
PLACE: Final[dict[str, Schema]] = {"cluster": TEXT, "tier": TEXT, "flavor": TEXT, "resource": TEXT}
CAUSE: Final[dict[str, Schema]] = {
    "path": TEXT,
    "at": _map(file=TEXT, line={"type": "integer", "minimum": 1}, column={"type": "integer", "minimum": 1}),
    "gone": {**FLAG, "description": "Whether `at` is a place in the spec before."},
}
KEYS: Final = _each({"type": ["string", "integer"]}, "`path` in parts.")
OWNER: Final[dict[str, Schema]] = {"service": TEXT, "task_pool": TEXT, "team": TEXT}
WORTHS: Final = tuple(field.name for field in dataclasses.fields(Worth))

DEFINITIONS: Final[dict[str, Schema]] = {
    "reference": _map(**REFERENCE),
    "cause": _map(**CAUSE),
    "spec_change": _said(
        "A side without a value has no key.", _map(**CAUSE, keys=KEYS, old=ANYTHING, new=ANYTHING), "old", "new"
    ),
    "change": _said(
        "A field that differs. A side without a value has no key; `within` is what differs in a document that is a text.",
        _map(
            path=TEXT,
            kind={"enum": [kind.value for kind in ChangeKind]},
            old=ANYTHING,
            new=ANYTHING,
            within=_each(_ref("change")),
        ),
        "old",
        "new",
        "within",
    ),
    "object": _map(
        action={"enum": [action.value for action in Action]},
        **REFERENCE,
        file={**TEXT, "description": "Below `rendered/`."},
        was={"oneOf": [_ref("reference"), {"type": "null"}], "description": "Its name before, where it was renamed."},
        reason=TEXT,
        confirmed={**FLAG, "description": "Whether Argo CD asks a person before it takes the object away."},
        by_tool={**FLAG, "description": "Whether another version of gpuplan alone makes the difference."},
        changes=_each(_ref("change")),
        causes=CAUSES,
    ),
    "effect": _map(
        fact={**TEXT, "description": "Key of `facts`."},
        risk=RISK,
        cluster=NAME,
        subject=TEXT,
        summary=TEXT,
        teams=_each(TEXT, "Teams that lose by it."),
        nodes=COUNT,
        cards=COUNT,
        objects=_each(_ref("reference")),
        causes=CAUSES,
    ),
    "fact": _map(title=TEXT, does=TEXT, source=TEXT, checked=TEXT),
    "holding": _map(guaranteed=COUNT, borrowable=LIMIT, reclaimable=LIMIT, lent=COUNT, weight=COUNT),
    "quota": _said(
        "What one owner may hold of one flavor and resource, in pieces.",
        _map(
            **PLACE,
            **OWNER,
            was_team=NAME,
            changed=FLAG,
            cards_per_piece=SHARE,
            old=_ref("holding"),
            new=_ref("holding"),
            causes=CAUSES,
        ),
    ),
    "sums": _map(capacity=COUNT, owned=COUNT, rest=NUMBER),
    "balance": _said(
        "All pieces against what is owned.",
        _map(**PLACE, cards_per_piece=SHARE, old=_ref("sums"), new=_ref("sums")),
    ),
    "worth": _map(**dict.fromkeys(WORTHS, COUNT)),
    "promise": _said(
        "What a floor is worth.",
        _map(cluster=TEXT, queue=TEXT, flavor=TEXT, resource=TEXT, **OWNER, old=_ref("worth"), new=_ref("worth")),
    ),
    "step": _map(
        title=TEXT,
        why=TEXT,
        until=TEXT,
        commands=_each(TEXT),
        edits=_each(
            _said("Without `value`, the path is taken out.", _map(path=TEXT, keys=KEYS, value=ANYTHING), "value"),
            "What the commit changes in the spec.",
        ),
    ),
    "rollout": _map(kind=TEXT, cluster=NAME, subject=TEXT, reason=TEXT, steps=_each(_ref("step"))),
    "approval": _map(role=TEXT, owners=_each(TEXT), reasons=_each(_map(cluster=NAME, summary=TEXT))),
    "file": _map(action={"enum": [action.value for action in Action]}, path=TEXT, causes=CAUSES),
}


def schema() -> Schema:
    """Return the schema. Keys may be added under the same major number, so it does not refuse unknown ones."""
    major = FORMAT_VERSION.partition(".")[0]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A plan of gpuplan",
        **_map(
            format_version={"type": "string", "pattern": rf"^{major}\.[0-9]+$"},
            fleet=TEXT,
            old=TEXT,
            new=TEXT,
            notes=_each(TEXT),
            no_changes={**FLAG, "description": "No object and no file differs, and nobody is asked."},
            risk=RISK,
            headline=TEXT,
            summary=_map(add=COUNT, change=COUNT, destroy=COUNT, replace=COUNT, files=COUNT),
            clusters=_each(TEXT),
            changed_clusters=_each(TEXT),
            effects=_each(_ref("effect"), "The worst first."),
            facts={"type": "object", "additionalProperties": _ref("fact")},
            quotas=_each(_ref("quota")),
            balances=_each(_ref("balance")),
            promises=_each(_ref("promise")),
            rollouts=_each(_ref("rollout")),
            approvals=_each(_ref("approval")),
            objects=_each(_ref("object")),
            files=_each(_ref("file"), "Files beside the manifests."),
            spec=_each(_ref("spec_change")),
        ),
        "definitions": DEFINITIONS,
    }


def schema_text() -> str:
    """Return the schema as it is published."""
    return json.dumps(schema(), indent=2) + "\n"
