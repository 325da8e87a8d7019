"""What is broken in what watches the cluster: exporters, rules, routes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

from tests.controlplane.verifying.bed import Bed, Fault, Undo
from tests.controlplane.verifying.monitors import EXPORTERS, QUEUES, Monitors, Object
from tests.scenarios.scraping import get


def silent_exporter(bed: Bed) -> Undo:
    return bed.monitors.paged("/l40s-0", lambda _: None, 'up{instance="l40s-0"} == 1')


def lost_counter(bed: Bed) -> Undo:
    def without(page: str) -> str:
        return "".join(line for line in page.splitlines(keepends=True) if "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL" not in line)

    return bed.monitors.paged("/l40s-1", without, 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{node="l40s-1"}')


def no_queues(bed: Bed) -> Undo:
    def without(page: str) -> str:
        return "".join(line for line in page.splitlines(keepends=True) if "kueue_pending_workloads" not in line)

    return bed.monitors.paged(f"/{QUEUES}", without, "kueue_pending_workloads")


def slow_scrapes(bed: Bed) -> Undo:
    def slow(monitors: Monitors) -> None:
        monitors.intervals = {**monitors.intervals, EXPORTERS: "4m"}

    return bed.monitors.set_up(slow, lambda: "4m" in _intervals(bed), "a longer interval")


def _intervals(bed: Bed) -> set[str]:
    return {one["scrapeInterval"] for one in get(bed.prometheus, "targets")["activeTargets"]}


def _rule(monitors: Monitors, name: str) -> Object:
    return next(
        rule
        for group in monitors.groups.values()
        for rule in group["rules"]
        if name in (rule.get("alert"), rule.get("record"))
    )


def edited(name: str, change: Callable[[Object], object], seen: Callable[[Object], object]) -> Callable[[Bed], Undo]:
    """Edit a rule by hand."""

    def plant(bed: Bed) -> Undo:
        return bed.monitors.set_up(
            lambda monitors: change(_rule(monitors, name)), lambda: seen(bed.monitors.rule(name)), f"{name} edited"
        )

    return plant


def lost_group(bed: Bed) -> Undo:
    name = next(
        group for group in bed.monitors.groups if any("alert" in rule for rule in bed.monitors.groups[group]["rules"])
    )
    return bed.monitors.set_up(
        lambda monitors: monitors.groups.pop(name),
        lambda: name not in {group["name"] for group in bed.monitors.rules()},
        f"group {name} to go",
    )


def lost_route(bed: Bed) -> Undo:
    def change(monitors: Monitors) -> None:
        routes = monitors.routing["route"]["routes"]
        monitors.routing["route"]["routes"] = [route for route in routes if "search-oncall" not in str(route)]

    return bed.monitors.set_up(change, lambda: "receiver: search-oncall" not in bed.monitors.config(), "a route to go")


def lost_inhibition(bed: Bed) -> Undo:
    return bed.monitors.set_up(
        lambda monitors: monitors.routing.pop("inhibit_rules"),
        lambda: "inhibit_rules" not in bed.monitors.config(),
        "inhibitions to go",
    )


def alone(bed: Bed) -> Undo:
    def change(monitors: Monitors) -> None:
        monitors.sends = False

    return bed.monitors.set_up(
        change, lambda: not get(bed.prometheus, "alertmanagers")["activeAlertmanagers"], "no Alertmanager"
    )


def silence(bed: Bed) -> Undo:
    now = datetime.datetime.now(datetime.UTC)
    matcher = {"name": "alertname", "value": ".+", "isRegex": True, "isEqual": True}
    return bed.monitors.silenced(
        {
            "matchers": [matcher],
            "startsAt": now.isoformat(),
            "endsAt": (now + datetime.timedelta(hours=2)).isoformat(),
            "createdBy": "kim",
            "comment": "quiet please",
        }
    )


FAULTS: tuple[Fault, ...] = tuple(
    Fault(name=name, plant=plant, check=f"monitoring/{check}", evidence=evidence, also=also)
    for name, plant, check, evidence, also in (
        ("an exporter is down", silent_exporter, "targets", "l40s-0", ("monitoring/exporters",)),
        ("an exporter lacks a counter", lost_counter, "counters", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", ()),
        ("Kueue is not scraped", no_queues, "sources", "kueue_pending_workloads", ()),
        ("exporters are scraped too seldom", slow_scrapes, "targets", "every 240 s", ()),
        (
            "a rule was edited",
            edited(
                "GpuMissingFromNode",
                lambda rule: rule.update(expr="vector(0) > 1"),
                lambda rule: "vector" in rule.get("query", ""),
            ),
            "rules",
            "GpuMissingFromNode",
            (),
        ),
        (
            "a rule fails",
            edited(
                "GpuAllocatableLow",
                lambda rule: rule.update(expr="kube_node_info * on () kube_node_info"),
                lambda rule: rule.get("health") == "err",
            ),
            "evaluated",
            "GpuAllocatableLow",
            ("monitoring/rules",),
        ),
        ("a group of rules is not loaded", lost_group, "rules", "not loaded|is not there|missing", ()),
        ("a route is missing", lost_route, "routes", re.escape("search-oncall"), ()),
        ("the inhibitions are missing", lost_inhibition, "inhibitions", ".", ()),
        ("Prometheus tells no Alertmanager", alone, "sends-alerts", ".", ()),
        ("everything is silenced", silence, "silences", "kim", ()),
    )
)
