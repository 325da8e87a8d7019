"""Runbooks as a person follows them: every command parses, names the right nodes, and stands in the right order."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from gpuplan.manifests.set import ManifestSet, TextFile
from gpuplan.model.lifecycle import HOLD_LABEL, stable_labels
from gpuplan.model.pools import node_labels, produced_resources
from gpuplan.model.sharing import SharingMode
from gpuplan.output.files import OutputFile
from gpuplan.output.partial import only
from gpuplan.report.runbooks import of_pools as texts
from tests.build import resolved
from tests.generated import fleets
from tests.unit.emit.fleets import Place, place

GOLDEN = Path(__file__).parent / "golden"
LAYOUT = "profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}"
TASKS = """
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [lab], stateful: {drainSeconds: 900}}}
teams: {search: {namespaces: [search], quotas: {chat: {lab/1g.5gb: {guaranteed: 1}}}}}
"""
TAINT = "{key: nvidia.com/gpu, value: present, effect: NoSchedule}"
POOLS = {
    "nfd-manual": (f"a: {{sharing: {{mig: {{{LAYOUT}}}}}}}", "", TASKS),
    "labels-operator": (
        f"a: {{selectedBy: {{labels: {{pool: lab, nvidia.com/mig.config: half}}}}, sharing: {{mig: {{name: half, {LAYOUT}}}}}}}",
        "stack: operator, gpuOperator: {namespace: gpus}",
        "",
    ),
    "karpenter": (
        "a: {tier: big, selectedBy: {provisioner: karpenter}, sharing: {mig: {profiles: {1g.10gb: 7}}}}",
        "",
        "",
    ),
    "external-gke": (
        "a: {stack: external, sharing: {mig: {strategy: single, profiles: {1g.5gb: 7}}}}",
        "distribution: gke",
        "",
    ),
    "dra": (f"a: {{exposure: dra, sharing: {{mig: {{{LAYOUT}}}}}}}", "", ""),
}
"""Pools, more of the cluster, more of the fleet."""
EXPECTS = {
    "expects-gke": (
        f"a: {{tier: desk, taints: [{TAINT}], sharing: {{timeSlicing: {{replicas: 4, renameByDefault: false}}}}}}, c: {{tier: amd}}",
        "distribution: gke, stack: external",
        "",
    ),
    "expects-k3s": (
        f"a: {{sharing: {{mig: {{{LAYOUT}}}}}}}, b: {{selectedBy: {{labels: {{pool: b}}}}, sharing: {{mps: {{replicas: 2}}}}}}",
        "distribution: k3s, stack: external",
        "",
    ),
}
FIRST_WORDS = {"kubectl", "nvidia-smi", "echo", "read", "--metric-labels-allowlist=nodes=[gpuplan.dev/card"}


def files(name: str) -> dict[str, str]:
    pools, cluster, more = {**POOLS, **EXPECTS}[name]
    return {text.path: text.text for text in texts(place(pools, cluster, more).fleet)}


def here(name: str) -> Place:
    pools, cluster, more = {**POOLS, **EXPECTS}[name]
    return place(pools, cluster, more)


def command_lines(text: str) -> list[str]:
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def assert_golden(name: str, text: str) -> None:
    file = GOLDEN / f"{name}.md"
    if os.environ.get("GPUPLAN_WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", POOLS)
def test_the_runbook_of_a_pool(name: str) -> None:
    assert_golden(name, files(name)["runbooks/eu/mig-a.md"])


@pytest.mark.parametrize("name", EXPECTS)
def test_what_is_expected_of_others(name: str) -> None:
    assert_golden(name, files(name)["runbooks/eu/expects.md"])


@pytest.mark.parametrize(("profiles", "said"), [("1g.5gb: 7", True), ("1g.5gb: 1, 2g.10gb: 3", False)])
def test_a_label_names_the_profile_only_where_there_is_one(profiles: str, *, said: bool) -> None:
    pool = f"a: {{sharing: {{mig: {{profiles: {{{profiles}}}}}}}}}"
    (page,) = (
        text.text for text in texts(place(pool, "distribution: gke, stack: external").fleet) if "expects" in text.path
    )
    assert ("gke-gpu-partition-size" in page) is said


@pytest.mark.parametrize("name", [*POOLS, *EXPECTS])
def test_every_command_is_one_that_a_shell_can_read(name: str) -> None:
    for path, text in files(name).items():
        lines = command_lines(text)
        assert lines, path
        for line in lines:
            words = shlex.split(line)
            assert words[0] in FIRST_WORDS or words[0].startswith(
                ("NODE=$(kubectl get nodes -l ", "--metric-labels")
            ), line
            assert "None" not in words, line


@pytest.mark.parametrize("name", POOLS)
def test_every_selector_of_nodes_is_the_pools(name: str) -> None:
    place_ = here(name)
    stable = ",".join(f"{key}={value}" for key, value in stable_labels(place_.pool))
    for line in command_lines(files(name)["runbooks/eu/mig-a.md"]):
        if " nodes " in line and " -l " in line:
            selected = re.search(r"nodes (?:-l|--selector) (\S+)", line)
            assert selected is not None, line
            assert selected[1] in (stable, f"{stable},{HOLD_LABEL}=false"), line


@pytest.mark.parametrize("name", EXPECTS)
def test_what_is_expected_is_looked_for_on_the_pools_own_nodes(name: str) -> None:
    waits = [line for line in command_lines(files(name)["runbooks/eu/expects.md"]) if line.startswith("kubectl wait")]
    wanted = [
        (",".join(f"{key}={value}" for key, value in sorted(node_labels(pool).items())), f"={made.per_node}")
        for pool in here(name).cluster.pools
        for made in produced_resources(pool)
    ]
    assert len(waits) == len(wanted)
    for line, (labels, amount) in zip(waits, wanted, strict=True):
        assert f"-l {labels} " in line
        assert f"{amount} --timeout" in line


def test_a_change_of_layout_changes_the_runbook() -> None:
    def text(layout: str) -> str:
        (made,) = texts(place(f"a: {{sharing: {{mig: {{{layout}}}}}}}").fleet)
        return made.text

    assert text(LAYOUT) == text(LAYOUT)
    assert text(LAYOUT) != text("profiles: {3g.20gb: 2}")
    assert r"{.status.allocatable.nvidia\.com/mig-3g\.20gb}'=16" in text("profiles: {3g.20gb: 2}")


def test_the_old_state_is_forgotten_before_the_manager_comes_back() -> None:
    lines = command_lines(files("nfd-manual")["runbooks/eu/mig-a.md"])
    order = [
        next(index for index, line in enumerate(lines) if start in line)
        for start in (
            f"{HOLD_LABEL}=false",
            "kubectl drain",
            "mig.config.state-",
            f"{HOLD_LABEL}=true",
            "state}'=success",
            "status.allocatable",
            "kubectl uncordon",
        )
    ]
    assert order == sorted(order)


def test_where_cards_are_claimed_the_driver_is_made_to_look_again_rather_than_a_plugin_that_is_not_there() -> None:
    text = files("dra")["runbooks/eu/mig-a.md"]
    assert "delete the pod of\nits kubelet plugin" in text
    assert "The device plugin has not looked again" not in text
    assert "The device plugin has not looked again" in files("nfd-manual")["runbooks/eu/mig-a.md"]


def test_budgets_are_never_passed_over() -> None:
    for name in POOLS:
        text = files(name)["runbooks/eu/mig-a.md"]
        (drain,) = [line for line in command_lines(text) if line.startswith("kubectl drain")]
        assert "--ignore-daemonsets --delete-emptydir-data" in drain
        assert "--disable-eviction" not in drain
        assert "--force" not in drain
        assert "--grace-period=-1" in drain


def test_there_is_no_runbook_without_a_layout_and_no_page_without_others() -> None:
    assert list(texts(place("a: {}, b: {tier: desk, sharing: {timeSlicing: {replicas: 2}}}").fleet)) == []


def test_runbooks_lie_where_argo_cd_does_not_read_and_are_written_with_their_cluster(tmp_path: Path) -> None:
    made = tuple(texts(here("nfd-manual").fleet))
    manifests = ManifestSet.of(()).with_texts(made)
    assert [text.path for text in manifests.texts] == ["runbooks/eu/mig-a.md"]
    with pytest.raises(ValueError, match="two files"):
        manifests.with_texts(made)
    outputs = [OutputFile("runbooks/eu/mig-a.md", b"x", ()), OutputFile("runbooks/us/mig-b.md", b"y", ())]
    chosen, found = only(tmp_path, outputs, ["eu"])
    assert [file.path for file in chosen] == ["runbooks/eu/mig-a.md"]
    assert found == ()


def test_the_text_ends_in_one_line_break_and_holds_no_gaps() -> None:
    made = [text for name in (*POOLS, *EXPECTS) for text in texts(here(name).fleet)]
    for text in made:
        assert isinstance(text, TextFile)
        assert text.text.endswith("\n")
        assert not text.text.endswith("\n\n")
        assert "\n\n\n" not in text.text, text.path
        assert not re.search(r"[ \t]$", text.text, re.MULTILINE), text.path


@settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(fleets())
def test_any_fleet_gets_runbooks_with_commands_that_a_shell_can_read(spec: str) -> None:
    fleet, _ = resolved(spec)
    assert fleet is not None
    made = tuple(texts(fleet))
    cut = {
        f"runbooks/{cluster.name}/mig-{pool.name}.md"
        for cluster in fleet.clusters
        for pool in cluster.pools
        if pool.sharing.groups
    }
    governed = {f"runbooks/{cluster.name}/expects.md" for cluster in fleet.clusters if cluster.pools_on("external")}
    partitioned = {
        f"runbooks/{cluster.name}/partition-{pool.name}.md"
        for cluster in fleet.clusters
        for pool in cluster.pools_on("operator")
        if pool.sharing.mode is SharingMode.PARTITION
    }
    assert {text.path for text in made} == cut | governed | partitioned
    for text in made:
        assert "\n\n\n" not in text.text, text.path
        for line in command_lines(text.text):
            assert shlex.split(line)


def test_the_order_of_the_pools_in_the_spec_changes_no_word() -> None:
    pools = ["a: {selectedBy: {labels: {pool: a}}}", f"b: {{sharing: {{mig: {{{LAYOUT}}}}}}}", "c: {tier: amd}"]
    both = [texts(place(", ".join(order), "stack: external").fleet) for order in (pools, pools[::-1])]
    first, second = ({text.path: text.text for text in made} for made in both)
    assert first == second
