"""One NVIDIADriver a pool: which driver, on which nodes, and how it is replaced."""

from __future__ import annotations

import pytest

from gpuplan.emit import base
from gpuplan.model.pools import agent_tolerations
from gpuplan.validate.immutable import refused
from tests.unit.emit.fleets import place
from tests.unit.emit.operators import ON, THREE, drivers, policy, rendered


def test_each_driver_tolerates_its_own_pool_and_selects_no_other() -> None:
    made = place(THREE, ON)
    specs = drivers(made)
    for pool in made.cluster.pools:
        spec = specs[f"gpuplan-{pool.name}"]
        assert spec["nodeSelector"] == {"gpuplan.dev/pool": pool.name}
        assert spec["tolerations"] == [base.toleration(one) for one in agent_tolerations([pool])]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", "{sharing: {mig: {profiles: {1g.5gb: 7}}}}"),
        ("{sharing: {timeSlicing: {replicas: 2}}}", "{sharing: {timeSlicing: {replicas: 4}}}"),
        (
            "{selectedBy: {labels: {pool: a, nvidia.com/mig.config: x}}, sharing: {mig: {name: x, profiles: {1g.5gb: 7}}}}",
            "{selectedBy: {labels: {pool: a, nvidia.com/mig.config: y}}, sharing: {mig: {name: y, profiles: {2g.10gb: 3}}}}",
        ),
    ],
)
def test_a_node_keeps_its_driver_while_its_cards_are_shared_in_another_way(before: str, after: str) -> None:
    """Its labels change first: an operator that chose nodes by them would take the driver off all of them at once."""
    was, will = (drivers(place(f"a: {pool}", ON))["gpuplan-a"]["nodeSelector"] for pool in (before, after))
    assert was == will


@pytest.mark.parametrize(
    ("driver", "version"),
    [
        ("{branch: '580'}", "580.173.02"),
        ("{branch: '535'}", "535.309.01"),
        ("{branch: '595'}", "595.91.07"),
        ("{branch: '580', precompiled: true}", "580"),
    ],
)
def test_a_driver_is_a_release_but_a_branch_where_images_are_precompiled(driver: str, version: str) -> None:
    spec = drivers(place(f"a: {{driver: {driver}}}", ON))["gpuplan-a"]
    assert spec["version"] == version
    assert spec["usePrecompiled"] is ("precompiled" in driver)
    assert f"{spec['repository']}/{spec['image']}" == "nvcr.io/nvidia/driver"


def test_a_driver_cannot_change_between_built_and_precompiled_images() -> None:
    before, after = (place(f"a: {{driver: {{branch: '580', precompiled: {word}}}}}", ON) for word in ("false", "true"))
    old = {path: made.object for path, made in rendered(before).placed.items()}
    (found,) = refused(rendered(after), old.get)
    assert "`usePrecompiled`" in found.summary
    assert "`nodePools.a`" in (found.fix or "")
    assert list(refused(rendered(before), old.get)) == []


def test_nodes_that_come_with_the_driver_get_none() -> None:
    mixed = place("a: {driver: {preinstalled: true}}, b: {tier: big}", ON)
    assert set(drivers(mixed)) == {"gpuplan-b"}
    assert policy(mixed)["driver"]["enabled"] is True
    none = place("a: {driver: {preinstalled: true}}", ON)
    assert drivers(none) == {}
    assert policy(none)["driver"] | {"manager": {}, "rdma": {}, "upgradePolicy": {}} == {
        "enabled": False,
        "kernelModuleType": "auto",
        "manager": {},
        "rdma": {},
        "upgradePolicy": {},
        "useNvidiaDriverCRD": False,
        "usePrecompiled": False,
    }


@pytest.mark.parametrize(("nodes", "may_be_down"), [(1, 1), (2, 2), (3, 2), (8, 2), (9, 3), (16, 4)])
def test_an_upgrade_moves_on_small_pools_too_with_a_node_out_of_service(nodes: int, may_be_down: int) -> None:
    upgrade = drivers(place(f"a: {{nodes: {nodes}}}", ON))["gpuplan-a"]["upgradePolicy"]
    assert upgrade["maxUnavailable"] == may_be_down
    assert upgrade["maxParallelUpgrades"] == 1
    assert upgrade["autoUpgrade"] is True


STATEFUL = """
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [big], stateful: {drainSeconds: 900}}
  tune: {kind: training, service: guaranteed, tiers: [lab]}
teams: {vision: {namespaces: [vision], quotas: {chat: {big: {guaranteed: 8}}, tune: {lab: {guaranteed: 8}}}}}
"""


def test_a_stateful_pod_gets_its_grace_and_a_margin_before_its_nodes_driver_goes() -> None:
    made = place("serve: {tier: big}, lab: {}", ON, STATEFUL)
    waits = {name: spec["upgradePolicy"] for name, spec in drivers(made).items()}
    assert waits["gpuplan-serve"]["podDeletion"]["timeoutSeconds"] == 960
    assert waits["gpuplan-serve"]["drain"] == {
        "deleteEmptyDir": True,
        "enable": True,
        "force": False,
        "timeoutSeconds": 960,
    }
    assert waits["gpuplan-lab"]["drain"]["timeoutSeconds"] == 300
    assert made.cluster.longest_drain_seconds(made.cluster.pools) == 900
    origins = {
        one.key.name: {path.path for path in one.also} for one in rendered(made) if one.key.kind == "NVIDIADriver"
    }
    assert ("taskPools", "chat") in origins["gpuplan-serve"], "a reader finds where the grace comes from"
    assert not [path for path in origins["gpuplan-lab"] if path[0] == "taskPools"]


@pytest.mark.parametrize(("version", "in_policy"), [("v26.3.2", True), ("v26.7.0", False)])
def test_upgrades_are_said_where_the_operators_line_looks_for_them(version: str, in_policy: bool) -> None:
    made = place("serve: {tier: big}, lab: {}", f"{ON}, components: {{gpuOperator: {{version: {version}}}}}", STATEFUL)
    of_policy = policy(made)["driver"]["upgradePolicy"]
    assert of_policy["autoUpgrade"] is in_policy
    assert ("upgradePolicy" in drivers(made)["gpuplan-serve"]) is not in_policy
    if in_policy:
        assert of_policy["podDeletion"]["timeoutSeconds"] == 960
        assert "gpuPodDeletion" not in of_policy
