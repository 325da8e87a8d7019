"""The runbooks of alerts: each alert has one, each stands for an alert, and what they name exists."""

from __future__ import annotations

import functools
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from gpuplan import catalog, pipeline
from gpuplan.cli import COMMANDS
from gpuplan.emit import emitters
from gpuplan.emit.monitoring import publish, series
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Fleet
from gpuplan.report import alert_runbooks
from gpuplan.spec.fleet import FleetSpec
from tests.build import TODAY, fleet, resolved
from tests.generated import fleets

TEMPLATES = Path(alert_runbooks.__file__).parent / "templates" / "alerts"
SECTIONS = [
    "What it means",
    "What work feels",
    "See whether it is true",
    "What to do",
    "When it is false",
    "Whom to tell",
    "Silence it",
    "Change it",
]
EVERYTHING = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", release: "2026.08"}
  us: {kubernetes: "1.36", distribution: talos, stack: operator}
  ap: {kubernetes: "1.36", stack: operator}
cardTiers:
  big: {cards: [h100-sxm-80gb], costPerCardHour: "2 USD"}
  serve: {cards: [l40s], costPerCardHour: "1 USD"}
  amd: {cards: [mi300x], costPerCardHour: "2 USD"}
defaults: {nodePool: {nodes: 8, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}}
nodePools:
  big: {cluster: eu, tier: big}
  serve: {cluster: eu, tier: serve}
  amd: {cluster: eu, tier: amd, stack: operator, driver: {preinstalled: true}}
  far: {cluster: us, tier: big}
  farther: {cluster: ap, tier: big}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  nightly: {kind: batchInference, service: queued, tiers: [serve]}
  shared: {kind: experiment, service: shared, tiers: [serve], pool: {serve: 8}}
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], serving: {engine: vllm, slo: {latencyMilliseconds: 500}}}
  vision-api: {kind: onlineInference, service: guaranteed, tiers: [serve], serving: {engine: triton, slo: {latencyMilliseconds: 500}}}
teams:
  nlp:
    namespaces: [nlp]
    quotas:
      pretrain: {clusters: {eu: {big: {guaranteed: 16}}}}
      chat: {serve: {guaranteed: 8}}
      nightly: {serve: {guaranteed: 8}}
      shared: {}
  vision: {namespaces: [vision], quotas: {vision-api: {serve: {guaranteed: 8}}, shared: {}}}
monitoring: {releases: {argocd: [eu], rollouts: [eu]}, alertmanager: {url: "http://alertmanager.monitoring:9093"}}
governance:
  reclaim: {mode: suspend, image: registry.acme.io/gpuplan:1.0}
  nodeHealth: {clusters: [eu], controller: nodeReadiness, conditions: [{type: GpuHealthy}]}
"""
"""A fleet that can raise every alert there is."""


@functools.cache
def everything() -> Fleet:
    return fleet(EVERYTHING)


@functools.cache
def example() -> Fleet:
    checked = pipeline.check(Path(__file__).parents[3] / "fleet", TODAY)
    assert checked.fleet is not None
    return checked.fleet


FLEETS = {"everything": everything, "example": example}


@functools.cache
def runbooks(name: str) -> dict[str, str]:
    """Return the runbooks of a fleet by the lower-case name of their alert."""
    return {Path(text.path).stem: text.text for text in alert_runbooks.texts(FLEETS[name]())}


def fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def stems() -> set[str]:
    return {path.name.removesuffix(".md.j2") for path in TEMPLATES.glob("[!_]*.j2")}


PAGES = sorted(stems())


def page(name: str) -> str:
    return runbooks("everything")[name]


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    assert {name.lower() for name in alert_runbooks.raised(everything())} == stems()
    assert {name.lower() for name in alert_runbooks.raised(example())} <= stems()


@given(fleets())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_fleet_can_raise_has_a_runbook_where_its_alert_points(text: str) -> None:
    made, _ = resolved(text)
    if made is None:
        return
    paths = {one.path for one in alert_runbooks.texts(made)}
    raised = {
        alert.name for cluster in made.clusters for group in publish.groups(made, cluster) for alert in group.alerts
    }
    assert paths == {publish.runbook_path(name) for name in raised}


@pytest.mark.parametrize("name", PAGES)
def test_a_runbook_answers_the_same_questions_in_the_same_order(name: str) -> None:
    for text in (runbooks(fleet_name).get(name) for fleet_name in FLEETS):
        if text is None:
            continue
        parts = re.split(r"(?<=\n\n)^## (.+)\n\n", text, flags=re.MULTILINE)
        assert parts[1::2] == SECTIONS
        assert all(part.strip() for part in parts)
        assert not re.search(r"(?<!\")\bNone\b|\{[{%#]|[%#]\}", text)
        assert text.count("```") % 2 == 0


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_gpuplan_that_it_names_exist(name: str) -> None:
    assert set(re.findall(r"`gpuplan ([a-z]+)", page(name))) <= set(COMMANDS)


@pytest.mark.parametrize("name", PAGES)
def test_what_it_asks_of_the_alert_is_a_label_that_the_alert_carries(name: str) -> None:
    (one,) = (one for one in alert_runbooks.raised(everything()).values() if one.alert.name.lower() == name)
    carried = {label for case in one.alert.cases for labels in case.fires for label in labels}
    asked = set(re.findall(r"^[A-Z_]+='<(\w+)>'$", page(name), re.MULTILINE))
    silenced = set(re.findall(r' (\w+)="\$', fences(page(name).partition("## Silence it")[2], "sh")[0]))
    assert asked | silenced <= carried
    if "node" in carried:
        assert "node" in asked


@pytest.mark.parametrize("name", PAGES)
def test_every_variable_of_a_command_is_set_and_every_command_can_be_read_by_a_shell(name: str) -> None:
    commands = "".join(fences(page(name), "sh"))
    done = subprocess.run(["sh", "-n"], input=commands, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    used = set(re.findall(r"\$([A-Z_]+)", commands)) - {"ALERTMANAGER"}
    assert used <= set(re.findall(r"^([A-Z_]+)=", commands, re.MULTILINE))
    words = set(
        re.findall(r"\b[A-Z][A-Z_]+\b", " ".join(re.findall(r'"([A-Z_]+)"', "".join(fences(page(name), "promql")))))
    )
    assert words <= set(re.findall(r"^([A-Z_]+)=", commands, re.MULTILINE))


KINDS = {
    "application", "clusterqueue", "clusterqueues", "cohorts", "configmap", "configmaps", "deployment", "deployments",
    "events", "jobs", "node", "nodes", "pod", "poddisruptionbudgets", "pods", "replicasets", "rollout", "rollouts",
    "statefulsets", "workloads",
}  # fmt: skip
OTHERS = {"kueue-system"}


def kubectl(text: str) -> Iterator[list[str]]:
    """Yield the words of each call of kubectl."""
    for block in fences(text, "sh"):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["kubectl"]:
                yield words[: words.index("|")] if "|" in words else words


@functools.cache
def placed() -> tuple[set[str], set[str]]:
    """Return the namespaces that the fleet renders objects into, and the names of its objects."""
    made = emitters.emit(everything(), lambda *_: None)
    return {one.key.namespace for one in made}, {one.key.name for one in made}


@pytest.mark.parametrize("name", PAGES)
def test_every_command_names_things_that_exist(name: str) -> None:
    namespaces, names = placed()
    namespaces = namespaces | OTHERS | {cluster.gpu_operator.namespace for cluster in everything().clusters}
    for words in kubectl(page(name)):
        if "-n" in words:
            namespace = words[words.index("-n") + 1]
            assert namespace in namespaces or namespace == "$NAMESPACE", words
        rest = [word for word in words[1:] if word != "-n" and word not in namespaces | {"$NAMESPACE"}]
        verb, *others = rest
        if verb == "get" and "/" not in others[0]:
            assert set(others[0].split(",")) <= KINDS, words
            named = others[1] if len(others) > 1 and not others[1].startswith("-") else "$"
            assert named.startswith("$") or named in names or named == "kueue-manager-config", words
        if verb == "logs" and others[0].startswith("deployment/"):
            assert others[0].removeprefix("deployment/") in names, words


def selectors(query: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each metric that a query reads with a selector, and the labels that it asks for."""
    for metric, inside in re.findall(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}", query):
        yield metric, set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", inside))


@functools.cache
def known() -> dict[str, set[str]]:
    """Return every metric and series that may be asked for, with its labels."""
    made = catalog.load()
    engines = {metric: {"namespace", "pod", "model", "version", "task_pool"} for metric in TRITON}
    return {
        **{name: {*metric.labels, "node", "pool"} for name, metric in made.metrics.items()},
        **{one.name: set(one.labels) for one in series.ALL},
        **engines,
    }


TRITON = ("nv_inference_queue_duration_us", "nv_inference_request_duration_us")


@pytest.mark.parametrize("name", PAGES)
def test_every_query_asks_for_metrics_and_labels_that_there_are(name: str) -> None:
    queries = fences(page(name), "promql")
    for query in queries:
        for metric, labels in selectors(query):
            assert labels <= known()[metric], query
        for metric in re.findall(r"\b(?:gpuplan[_:]|kube_|kueue_|DCGM_|argocd_|nv_)[\w:]+", query):
            assert metric in known() or "__name__" in query, metric


def test_every_query_is_promql(promtool: Path, tmp_path: Path) -> None:
    queries = sorted({query for name in FLEETS for text in runbooks(name).values() for query in fences(text, "promql")})
    rules = [{"record": f"query:{number}:x", "expr": query} for number, query in enumerate(queries)]
    (tmp_path / "rules.yaml").write_text(yaml_text({"groups": [{"name": "all", "rules": rules}]}), encoding="utf-8")
    systems = shutil.which("promtool")
    for tool in (promtool, *([Path(systems)] if systems else [])):
        done = subprocess.run(
            [tool, "check", "rules", "rules.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@functools.cache
def schema() -> Any:
    return FleetSpec.model_json_schema(by_alias=True)


def in_spec(key: str) -> bool:
    """Tell whether the spec has a key; `<…>` stands for any name."""
    places = [schema()]
    for part in key.split("."):
        below = []
        for place in places:
            for one in spread(place):
                if part.startswith("<"):
                    below += [other for other in (one.get("additionalProperties"),) if isinstance(other, dict)]
                    below += one.get("patternProperties", {}).values()
                else:
                    below += [one["properties"][part]] if part in one.get("properties", {}) else []
        places = below
    return bool(places)


def spread(place: Any) -> Iterator[Any]:
    """Yield a place of the schema with what it refers to."""
    if "$ref" in place:
        yield from spread(schema()["$defs"][place["$ref"].rpartition("/")[2]])
    for either in ("anyOf", "oneOf", "allOf"):
        for one in place.get(either, ()):
            yield from spread(one)
    yield place


KEY = re.compile(r"`((?:monitoring|governance|taskPools|teams|nodePools|clusters|cardTiers|delivery)\.[\w.<>]+)")


@pytest.mark.parametrize("name", PAGES)
def test_every_key_that_it_tells_to_change_is_one_of_the_spec(name: str) -> None:
    for key in KEY.findall(page(name)):
        assert in_spec(key), key


def test_every_key_whose_value_is_shown_is_one_of_the_spec() -> None:
    assert [key for key in alert_runbooks.values(everything()) if not in_spec(key)] == []
    assert not in_spec("monitoring.thresholds.noSuchThing")


def test_every_threshold_is_shown_by_some_runbook() -> None:
    shown = {key for name in PAGES for key in KEY.findall(page(name))}
    assert {key for key in alert_runbooks.values(everything()) if "thresholds" in key} <= shown


def test_a_threshold_of_the_spec_is_the_one_that_is_shown() -> None:
    made = everything()
    limits = replace(made.monitoring.thresholds, pcie_replays_per_minute=77)
    changed = replace(made, monitoring=replace(made.monitoring, thresholds=limits))
    texts = {Path(text.path).stem: text.text for text in alert_runbooks.texts(changed)}
    assert "| `monitoring.thresholds.pcieReplaysPerMinute` | 77 |" in texts["gpupciereplayshigh"]
    assert "More than 77 packets a minute" in texts["gpupciereplayshigh"]


@pytest.mark.parametrize("name", PAGES)
def test_it_points_to_runbooks_that_there_are(name: str) -> None:
    for other in re.findall(r"`((?:Gpu|Team|Kueue|Inference|Training|Release)[A-Z]\w+)`", page(name)):
        assert other.lower() in stems(), other


@pytest.mark.parametrize("name", ["gpuxidnodedrain", "gpuxidapplication", "gpuxidunknown"])
def test_the_runbooks_of_xids_have_the_class_of_every_code(name: str) -> None:
    rows = re.findall(r"^\| ([a-z-]+) \| ([\d, -]+) \|", page(name), re.MULTILINE)
    found: dict[str, set[int]] = {}
    for kind, codes in rows:
        for part in codes.split(", "):
            first, _, last = part.partition("-")
            found.setdefault(kind, set()).update(range(int(first), int(last or first) + 1))
    assert found == {kind: set(row.codes) for kind, row in catalog.load().xids.items()}


def test_the_fleets_own_judgement_of_codes_is_told() -> None:
    made = fleet(EVERYTHING.replace("monitoring: {", "monitoring: {xids: {drain: [109], ignore: [63]}, "))
    (text,) = (one.text for one in alert_runbooks.texts(made) if one.path.endswith("/gpuxidnodedrain.md"))
    assert "drain after 109, ignore 63" in text


def test_a_node_is_entered_the_way_its_cluster_allows() -> None:
    assert "talosctl" in page("gpumissingfromnode")
    assert "chroot /host/run/nvidia/driver" in page("gpumissingfromnode")
    assert "amd-smi" in page("gpuexporterdownongpunode")
    assert "talosctl" not in runbooks("example")["gpumissingfromnode"]


def test_the_documentation_lists_every_alert_with_its_severity_and_whom_it_is_for() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "monitoring.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\w+) \| (critical|warning|info)[^|]* \| (platform|team) \|$", docs, re.MULTILINE)
    raised = alert_runbooks.raised(everything()).items()
    assert sorted(rows) == sorted((name, one.alert.severity, one.alert.team or "team") for name, one in raised)
