"""The rules that a dashboard keeps to, as Grafana's own linter has them, and that no panel asks for what is not there.

One rule of that linter is left out: that dashboards have the variables `job` and `instance`, and every selector matches
them. Our series are recorded, so they have neither, and the scrape contract tells nodes and cards by labels of our own.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import promql_parser as promql
import pytest

from gpuplan import conventions, pipeline
from gpuplan.emit import dashboards
from gpuplan.emit.monitoring import publish, series
from gpuplan.model.fleet import Cluster, Fleet
from tests.build import TODAY, fleet
from tests.unit.emit.fleets import HEAD, place
from tests.unit.emit.promql_labels import LabelError, labels

Json = dict[str, Any]
SERVING = (
    HEAD
    + """
clusters: {eu: {kubernetes: "1.36"}}
nodePools: {a: {tier: big}, cut: {sharing: {mig: {profiles: {1g.5gb: 7}, strategy: mixed}}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm, slo: {latencyMilliseconds: 500}}}
  rank: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: triton}}
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
teams:
  nlp: {namespaces: [nlp], quotas: {chat: {big: {guaranteed: 4}}, rank: {big: {guaranteed: 4}}}}
  vision: {namespaces: [vision], costCenter: cc-1, quotas: {pretrain: {big: {guaranteed: 8}}}}
"""
)
GRID = 24
LIMIT_BYTES = 100_000
"""A tenth of what a ConfigMap may hold."""


@cache
def fleets() -> tuple[Fleet, ...]:
    """Return the example, a fleet that serves, one without queues, and one without NVIDIA's cards."""
    example = pipeline.check(Path("fleet"), TODAY).fleet
    assert example is not None
    bare = place("a: {}").fleet
    other = place("a: {tier: amd, driver: {preinstalled: true}}", "stack: operator").fleet
    return example, fleet(SERVING), bare, other


@cache
def made() -> dict[str, Json]:
    """Return every dashboard of those fleets."""
    found: dict[str, Json] = {}
    for number, one in enumerate(fleets()):
        for cluster in one.clusters:
            found |= {f"{number}/{name}": board for name, board in of_cluster(one, cluster).items()}
    return found


def of_cluster(one: Fleet, cluster: Cluster) -> dict[str, Json]:
    groups = tuple(publish.groups(one, cluster))
    texts = (text for config in dashboards.emit(one, cluster, groups) for text in config.object["data"].items())  # type: ignore[attr-defined]  # a ConfigMap
    return {name: json.loads(text) for name, text in texts}


def panels() -> Iterator[tuple[str, Json]]:
    for name, board in made().items():
        for panel in board["panels"]:
            if panel["type"] != "row":
                yield f"{name}: {panel['title']}", panel


def expressions() -> Iterator[tuple[str, str, str]]:
    for where, panel in panels():
        for target in panel["targets"]:
            yield where, filled(target["expr"]), target.get("legendFormat", "")


def filled(expr: str) -> str:
    return expr.replace("$__rate_interval", "5m")


def selectors(expr: promql.Expr) -> list[promql.VectorSelector]:
    found: list[promql.VectorSelector] = []

    def visit(one: promql.Expr) -> None:
        if isinstance(one, promql.VectorSelector):
            found.append(one)
        if isinstance(one, promql.MatrixSelector):
            found.append(one.vector_selector)

    promql.walk(expr, visit)
    return found


def wrong(places: Iterator[str]) -> None:
    found = sorted(set(places))
    assert not found, "\n".join(found)


def test_every_panel_every_query_and_every_variable_asks_the_chosen_prometheus() -> None:
    source = {"type": "prometheus", "uid": "${datasource}"}
    for name, board in made().items():
        first, *others = board["templating"]["list"]
        assert (first["type"], first["name"], first["query"]) == ("datasource", "datasource", "prometheus"), name
        assert all(variable["datasource"] == source for variable in others), name
    wrong(where for where, panel in panels() if panel["datasource"] != source)
    wrong(where for where, panel in panels() for target in panel["targets"] if target["datasource"] != source)


def test_every_panel_has_a_title_a_description_and_a_unit() -> None:
    wrong(where for where, panel in panels() if not (panel["title"] and panel["description"].endswith(".")))
    wrong(where for where, panel in panels() if not panel["fieldConfig"]["defaults"].get("unit"))


def test_no_dashboard_says_a_title_twice() -> None:
    for name, board in made().items():
        titles = [panel["title"] for panel in board["panels"] if panel["type"] not in ("row", "stat")]
        assert len(titles) == len(set(titles)), name


def test_every_expression_is_promql() -> None:
    for _, expr, _ in expressions():
        promql.parse(expr)


def test_labels_in_an_expression_and_its_legend_are_there() -> None:
    def mistakes() -> Iterator[str]:
        for where, expr, legend in expressions():
            try:
                had = labels(promql.parse(expr))
            except LabelError as error:
                yield f"{where}: {error}"
                continue
            yield from (f"{where}: {one} in its legend" for one in re.findall(r"{{(\w+)}}", legend) if one not in had)

    wrong(mistakes())


@pytest.mark.parametrize(
    "expr",
    [
        "sum by (team) (gpuplan:card_util:ratio)",
        'gpuplan:card_util:ratio{team="a"}',
        "gpuplan:queue_wait_seconds:p95 * on (cluster_queue) group_left (pool) gpuplan_clusterqueue_team_info",
        "gpuplan:card_util:ratio * gpuplan:node_cards:count",
    ],
)
def test_a_label_that_a_series_lacks_is_seen(expr: str) -> None:
    with pytest.raises(LabelError):
        labels(promql.parse(expr))


def test_ranges_of_counters_follow_the_zoom() -> None:
    windows = [target["expr"] for _, panel in panels() for target in panel["targets"]]
    ranges = {found for expr in windows for found in re.findall(r"\[([^\]]+)\]", expr)}
    assert ranges == {"$__rate_interval"}


def test_every_selector_can_be_limited_to_one_cluster() -> None:
    def unlimited() -> Iterator[str]:
        for where, expr, _ in expressions():
            for one in selectors(promql.parse(expr)):
                if 'cluster=~"$cluster"' not in str(one):
                    yield f"{where}: {one}"

    wrong(unlimited())


def test_variables_match_everything_until_somebody_chooses() -> None:
    for name, board in made().items():
        for variable in board["templating"]["list"][1:]:
            assert variable["includeAll"] is True, name
            assert variable["allValue"] == ".*", name
            assert variable["multi"] is (variable["name"] != "cluster"), name


def test_every_variable_in_use_is_defined() -> None:
    for name, board in made().items():
        defined = {variable["name"] for variable in board["templating"]["list"]}
        used = set(re.findall(r"\$(?!__)(\w+)", json.dumps([panel.get("targets") for panel in board["panels"]])))
        assert used <= defined, name


def test_dashboards_are_not_edited_by_hand_and_stay_fresh() -> None:
    for name, board in made().items():
        assert board["editable"] is False, name
        assert board["refresh"] == "1m", name
        assert [link["tags"] for link in board["links"]] == [board["tags"][1:]], name


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    for name, board in made().items():
        numbers = [panel["id"] for panel in board["panels"]]
        assert len(numbers) == len(set(numbers)), name
        taken: set[tuple[int, int]] = set()
        for at in (panel["gridPos"] for panel in board["panels"]):
            cells = set(itertools.product(range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"])))
            assert not cells & taken, (name, at)
            assert at["x"] + at["w"] <= GRID, (name, at)
            taken |= cells


def test_every_line_of_panels_fills_the_grid() -> None:
    for name, board in made().items():
        widths: dict[int, int] = {}
        for at in (panel["gridPos"] for panel in board["panels"]):
            widths[at["y"]] = widths.get(at["y"], 0) + at["w"]
        assert set(widths.values()) == {GRID}, name


def test_identities_are_of_a_cluster_and_a_key() -> None:
    found = [board["uid"] for name, board in made().items() if name.startswith("0/")]
    assert len(found) == len(set(found))
    assert dashboards.uid("prod-eu", "node") == "135c52231d7de1ab014c12422ba26db9"


def test_panels_read_only_what_some_rule_of_the_cluster_records() -> None:
    for one in fleets():
        for cluster in one.clusters:
            recorded = {rule["record"] for group in publish.groups(one, cluster) for rule in group.records}
            for name, board in of_cluster(one, cluster).items():
                text = json.dumps([panel.get("targets") for panel in board["panels"]])
                read = set(re.findall(r"\bgpuplan[_:][a-zA-Z0-9_:]+", text))
                assert {one for one in read if not one.startswith("gpuplan_reclaim")} <= recorded, name


NOT_SHOWN = {
    "is in the numbers of cards": (series.FRACTION, series.MIG_FRACTION, series.FLAVOR_FRACTION, series.NODE_CAPACITY),
    "is in the cost": (series.PRICE, series.CARD_PRICE),
    "is shown by its cost": (
        *(series.TEAM_RESERVED, series.TEAM_BILLED, series.TEAM_IDLE_BILLED, series.TEAM_USED, series.TEAM_BORROWED),
        *(series.POOL_BILLED, series.NO_TEAM),
    ),
    "is compared with the quota in Kueue by an alert": (series.QUEUE_QUOTA, series.COHORT_QUOTA),
    "is in the guarantee": (series.PEAK_HOURS, series.PEAK_CLOCK, series.STARVED_AT_PEAK),
    "is in the releases of a week": (series.RELEASE_TEAM, series.RELEASES_1H),
    "is in the jobs of a day": (series.JOBS_ENDED, series.JOBS_RUN_TIME),
    "is in the workloads that lost their cards": (
        *(series.EVICTED, series.PREEMPTED, series.EVICTED_WITHIN, series.DISRUPTED),
    ),
    "is shown as its parts, which add up over pools": (series.TEAM_IDLE_SHARE,),
}


def test_every_series_that_is_recorded_is_shown_somewhere() -> None:
    shown = json.dumps([(board["panels"], board["templating"]) for board in made().values()])
    recorded = {
        rule["record"]
        for one in fleets()
        for cluster in one.clusters
        for group in publish.groups(one, cluster)
        for rule in group.records
    }
    hidden = {one.name for ones in NOT_SHOWN.values() for one in ones}
    wrong(name for name in recorded - hidden if not re.search(rf"{re.escape(name)}\b(?![_:])", shown))


def test_a_cluster_without_nvidia_cards_has_no_panels_of_their_fields() -> None:
    assert not [where for where, panel in panels() if where.startswith("3/") and "DCGM_" in json.dumps(panel)]


def test_a_cluster_without_queues_has_no_panels_of_queues() -> None:
    assert not [where for where, panel in panels() if where.startswith("2/") and "kueue_" in json.dumps(panel)]


def test_only_where_there_is_a_reclaimer_panels_show_what_it_says() -> None:
    found = {where[:1] for where, panel in panels() if "gpuplan_reclaim" in json.dumps(panel)}
    assert found == {"0"}


def test_only_a_cluster_that_serves_has_a_dashboard_of_it() -> None:
    assert {name for name in made() if "serving" in name and name[0] != "0"} <= {"1/gpuplan-dashboard-serving-eu.json"}


def test_dashboards_are_found_by_the_labels_and_folder_of_the_spec() -> None:
    found = place("a: {}", more="monitoring: {dashboards: {labels: {dash: yes-please}, folder: Ours}}").of_rules(
        dashboards.emit
    )
    assert found
    for one in found:
        assert one["metadata"]["labels"]["dash"] == "yes-please"
        assert one["metadata"]["annotations"][conventions.ANNOTATION_GRAFANA_FOLDER] == "Ours"
        assert one["metadata"]["namespace"] == conventions.SYSTEM_NAMESPACE


def test_dashboards_can_be_switched_off() -> None:
    assert not place("a: {}", more="monitoring: {dashboards: {enabled: false}}").of_rules(dashboards.emit)


def test_limits_are_the_spec_s() -> None:
    text = json.dumps(
        place("a: {}", more="monitoring: {thresholds: {pcieReplaysPerMinute: 77}}").of_rules(dashboards.emit)
    )
    assert re.search(r'\\"value\\": 77\b', text)


def test_dashboards_are_the_same_from_run_to_run_and_small_in_any_fleet() -> None:
    teams = ", ".join(
        f"t{n}: {{namespaces: [n{n}], quotas: {{pretrain: {{big: {{guaranteed: 1}}}}}}}}" for n in range(200)
    )
    many = place(
        "a: {tier: big, nodes: 100}",
        more="taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}\nteams: {" + teams + "}",
    )
    first, second = (many.of_rules(dashboards.emit) for _ in range(2))
    assert first == second
    assert max(len(json.dumps(one["data"])) for one in first) < LIMIT_BYTES


def test_the_order_of_task_pools_in_the_spec_changes_no_panel() -> None:
    promised = SERVING.replace("serving: {engine: triton}", "serving: {engine: vllm, slo: {latencyMilliseconds: 900}}")
    chat, rank = (line for line in promised.splitlines() if line.startswith(("  chat:", "  rank:")))
    turned = promised.replace(f"{chat}\n{rank}", f"{rank}\n{chat}")
    assert turned != promised
    one, other = fleet(promised), fleet(turned)
    assert of_cluster(one, one.clusters[0]) == of_cluster(other, other.clusters[0])
