"""Which pods a new taint evicts."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.labelling.change import Change
from gpuplan.labelling.evictions import evictions, needs_pods
from gpuplan.model.pools import Taint

GONE = Taint(key="serving", value="true", effect="NoExecute")
CLOSED = Taint(key="gpu", value="", effect="NoSchedule")


def change(*added: Taint) -> Change:
    return Change(
        node="n", uid="u", version="1", labels={}, note=None, noted=None, set_labels={}, dropped_labels={},
        added_taints=added, removed_taints=(), live_taints=(),
    )  # fmt: skip


def pod(*tolerations: dict[str, Any], node: str = "n", phase: str = "Running") -> dict[str, Any]:
    spec = {"nodeName": node, "tolerations": list(tolerations)}
    return {"metadata": {"name": "p", "namespace": "x"}, "spec": spec, "status": {"phase": phase}}


ALL: dict[str, Any] = {"operator": "Exists"}
KEY = {"key": "serving", "operator": "Exists"}
VALUE = {"key": "serving", "value": "true"}


@pytest.mark.parametrize(
    ("one", "seconds"),
    [
        (pod(), [0]),
        (pod(ALL), []),
        (pod(KEY), []),
        (pod(VALUE), []),
        (pod({**VALUE, "operator": "Equal", "effect": "NoExecute"}), []),
        (pod({**VALUE, "value": "false"}), [0]),
        (pod({**KEY, "effect": "NoSchedule"}), [0]),
        (pod({"key": "other", "operator": "Exists"}), [0]),
        (pod({**KEY, "operator": "Gt", "value": "1"}), [0]),
        (pod({**KEY, "tolerationSeconds": 300}), [300]),
        (pod({**KEY, "tolerationSeconds": 300}, {**KEY, "tolerationSeconds": 60}), [60]),
        (pod({**KEY, "tolerationSeconds": -5}), [0]),
        (pod(node="other"), []),
        (pod(phase="Succeeded"), []),
    ],
)
def test_a_pod_goes_unless_it_tolerates_the_taint(one: dict[str, Any], seconds: list[int]) -> None:
    assert [gone.after_seconds for gone in evictions([change(CLOSED, GONE)], [one])] == seconds


def test_only_a_taint_that_evicts_asks_for_pods() -> None:
    assert needs_pods([change(CLOSED), change(GONE)])
    assert not needs_pods([change(CLOSED)])
    assert list(evictions([change(CLOSED)], [pod()])) == []
