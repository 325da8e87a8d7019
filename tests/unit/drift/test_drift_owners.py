"""Who owns a field, by what the server remembers."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.compare import Item, Shifted, Step
from gpuplan.drift.owners import owners, writers

PORT = Item((("containerPort", 9400), ("protocol", "TCP")))
NAME = Item((("name", "main"),))
VERB = Item((("", "get"),))
LIVE: dict[str, Any] = {
    "metadata": {"labels": {"a": "1"}},
    "spec": {
        "whole": [{"name": "x"}, {"name": "y"}],
        "containers": [{"name": "main", "image": "i", "ports": [{"containerPort": 9400, "protocol": "TCP"}]}],
        "verbs": ["get", "list"],
    },
}
FIELDS = {
    "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
    "f:spec": {
        "f:whole": {},
        "f:containers": {
            'k:{"name":"main"}': {
                ".": {},
                "f:image": {},
                "f:ports": {'k:{"containerPort":9400,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}},
            }
        },
        "f:verbs": {'v:"get"': {}},
    },
}


def owned(path: tuple[Step, ...]) -> bool:
    entry = {"manager": "m", "operation": "Update", "time": "t", "fieldsV1": FIELDS}
    return bool(owners({**LIVE, "metadata": {**LIVE["metadata"], "managedFields": [entry]}}, path))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("metadata", "labels", "a"), True),
        (("metadata", "labels", "b"), False),
        (("spec",), True),
        (("spec", "whole"), True),
        (("spec", "whole", 1, "name"), True),
        (("spec", "whole", Shifted(0, 1)), True),
        (("spec", "containers", NAME), True),
        (("spec", "containers", NAME, "image"), True),
        (("spec", "containers", 0, "image"), True),
        (("spec", "containers", NAME, "command"), False),
        (("spec", "containers", Item((("name", "other"),))), False),
        (("spec", "containers", NAME, "ports", PORT, "containerPort"), True),
        (("spec", "containers", NAME, "ports", PORT, "hostPort"), False),
        (("spec", "verbs", VERB), True),
        (("spec", "verbs", Item((("", "list"),))), False),
        (("spec", "nothing"), False),
    ],
)
def test_a_path_is_owned_by_itself_a_part_of_it_or_a_whole_around_it(path: tuple[Step, ...], expected: bool) -> None:
    assert owned(path) is expected


def test_who_wrote_last_comes_first_and_status_is_no_writing_of_the_object() -> None:
    def entry(manager: str, at: str, **more: str) -> dict[str, Any]:
        return {"manager": manager, "operation": "Update", "time": at, "fieldsV1": {"f:value": {}}, **more}

    entries = [
        entry("first", "2026-12-01T01:00:00Z"),
        entry("kubelet", "2026-12-01T03:00:00Z", subresource="status"),
        entry("last", "2026-12-01T02:00:00Z"),
    ]
    live = {"metadata": {"managedFields": entries}, "value": 1}

    assert [one.manager for one in owners(live, ("value",))] == ["kubelet", "last", "first"]
    assert [one.manager for one in writers(live)] == ["last", "first"]
