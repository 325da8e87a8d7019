"""Fleet-wide policy: monitoring, governance, delivery, and suppressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from gpuplan import catalog
from tests.generated import words

Entry = dict[str, Any]

COUNTERS = tuple(
    sorted(
        name
        for name, metric in catalog.load().metrics.items()
        if name.startswith(("DCGM_FI_", "DCGM_EXP_")) and metric.since is None
    )
)
PLAIN_COUNTERS = tuple(name for name in COUNTERS if not name.startswith("DCGM_FI_PROF_"))
ENFORCEMENT = ("warn", "off", "deny")
SUPPRESSIONS: tuple[Entry, ...] = (
    {"rule": "tier/unused", "reason": "the lab opens next year", "until": "2027-01-31"},
    {"rule": "quota/unallocated", "reason": "room for guests: ~10 %"},
    {"rule": "delivery/example-repository", "at": "delivery.argocd", "reason": "größer als nötig 🎉"},
)


@st.composite
def policies(draw: st.DrawFn, clusters: Sequence[str]) -> dict[str, Any]:
    """Return any of the sections `monitoring`, `governance`, `delivery` and `suppress`, for clusters of these names."""
    made: dict[str, Any] = {}
    sections = {
        "monitoring": _monitoring(clusters),
        "governance": _governance(clusters),
        "delivery": _delivery(clusters),
    }
    for key, section in sections.items():
        if draw(st.booleans()):
            made[key] = draw(section)
    if draw(words.SELDOM):
        made["suppress"] = draw(st.lists(st.sampled_from(SUPPRESSIONS), max_size=3, unique_by=lambda one: one["rule"]))
    return made


@st.composite
def _some(draw: st.DrawFn, choices: dict[str, st.SearchStrategy[Any]]) -> Entry:
    """Return some of the keys with a value each."""
    return {key: draw(value) for key, value in choices.items() if draw(st.booleans())}


ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _peak_hours() -> st.SearchStrategy[Entry]:
    return _some(
        {
            "timeZone": st.sampled_from(ZONES),
            "days": st.lists(st.sampled_from(DAYS), min_size=1, unique=True),
            "from": st.sampled_from(("08:30", "10:00")),
            "to": st.sampled_from(("18:00", "00:00", "02:15")),
        }
    )


@st.composite
def _monitoring(draw: st.DrawFn, clusters: Sequence[str]) -> Entry:
    profiling = draw(st.booleans())
    counters = st.lists(st.sampled_from(COUNTERS if profiling else PLAIN_COUNTERS), max_size=4)
    exporter = draw(_some({"intervalSeconds": st.sampled_from((30, 1, 150)), "extraCounters": counters}))
    thresholds = {
        "exporterDownMinutes": st.integers(1, 90),
        "cardMissingMinutes": st.integers(1, 90),
        "thermalMarginCelsius": st.integers(0, 20),
    }
    made = draw(
        _some(
            {
                "selectorLabels": st.sampled_from(
                    ({"release": "on"}, {}, {"acme.example/Prometheus_1": "1e3", "b": ""})
                ),
                "thresholds": _some(thresholds),
                "peakHours": _peak_hours(),
                "xids": st.just({"drain": [63], "ignore": [43]}),
                "releases": _some({"argocd": st.just([*clusters]), "rollouts": st.just([clusters[0]])}),
                "dashboards": _some({"enabled": st.booleans(), "folder": words.slugs()}),
                "runbookBase": st.builds(lambda slug: f"https://runbooks.acme.internal/{slug}/", words.slugs()),
            }
        )
    )
    return {**made, "exporter": {**exporter, "profiling": profiling}}


@st.composite
def _governance(draw: st.DrawFn, clusters: Sequence[str]) -> Entry:
    users = st.lists(words.texts(), max_size=2, unique=True)
    rails = {
        "queueRequired": st.sampled_from(ENFORCEMENT),
        "producedResources": st.sampled_from(ENFORCEMENT),
        "statefulServing": st.sampled_from(ENFORCEMENT),
        "exemptUsers": users,
    }
    security = st.sampled_from(("baseline", "restricted", "privileged"))
    said = {
        "guardRails": _some(rails),
        "podSecurity": security,
        "maintenance": st.fixed_dictionaries({"windows": st.lists(_windows(clusters), max_size=3)}),
        "nodeHealth": _node_health(clusters),
        "reclaim": st.fixed_dictionaries(
            {
                "mode": st.sampled_from(("off", "dryRun", "suspend")),
                "image": st.just("registry.acme.internal/gpuplan:0.1.0"),
            }
        ),
    }
    return draw(_some(said))


@st.composite
def _windows(draw: st.DrawFn, clusters: Sequence[str]) -> Entry:
    """Return a window; those that deny are short, so that some time is left."""
    kind = draw(st.sampled_from(("allow", "deny")))
    said = {
        "name": words.texts(),
        "reason": words.texts(),
        "timeZone": st.sampled_from(("UTC", "Europe/Berlin", "Asia/Kathmandu", "Etc/GMT+12")),
        "clusters": _cluster_names(clusters),
        "manualSync": st.booleans(),
        "syncOverrun": st.booleans(),
    }
    duration = draw(st.sampled_from(("4h", "1h30m", "90m") if kind == "allow" else ("5m", "1m30s")))
    schedule = draw(st.sampled_from(("0 2 * * 6", "*/30 1-5/2 ? * MON-fri", "0 0 1 jan,Feb *", "15 3 1,15 * 0")))
    return {"schedule": schedule, "duration": duration, "kind": kind, **draw(_some(said))}


@st.composite
def _node_health(draw: st.DrawFn, clusters: Sequence[str]) -> Entry:
    types = draw(st.lists(st.sampled_from(("GpuHealthy", "acme.example/Gpu_Missing", "x")), min_size=1, unique=True))
    conditions = [{"type": name, **draw(_some({"healthyWhen": st.booleans()}))} for name in types]
    said = {"clusters": _cluster_names(clusters), "dryRun": st.booleans()}
    controller = draw(st.sampled_from(("nodeReadiness", "none")))
    return {"controller": controller, "conditions": conditions, **draw(_some(said))}


def _cluster_names(clusters: Sequence[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(tuple(clusters)), min_size=1, unique=True)


@st.composite
def _delivery(draw: st.DrawFn, clusters: Sequence[str]) -> Entry:
    repositories = (
        "https://git.acme.internal/{}.git",
        "git@git.acme.internal:{}.git",
        "ssh://git@git.acme.internal/{}",
    )
    address = draw(st.sampled_from(repositories)).format(draw(words.slugs()))
    said = {
        "targetRevision": st.sampled_from(("main", "release/1.0", "on", "1e3", "v1.0.0")),
        "path": st.sampled_from(("rendered", "platform/gpu/rendered", "1e3")),
        "namespace": st.sampled_from(("argocd", "null")),
        "project": st.sampled_from(("platform", "true", "x" * 49)),
        "replacePriorityClasses": st.booleans(),
    }
    return {"argocd": {"repoURL": address, **draw(_some(said)), **draw(_mode(clusters))}}


@st.composite
def _mode(draw: st.DrawFn, clusters: Sequence[str]) -> Entry:
    """Return how Argo CD gets its Applications, in steps of clusters by chance."""
    if draw(st.booleans()):
        return draw(_some({"mode": st.just("applications")}))
    order = draw(st.permutations(clusters))
    cut = draw(st.integers(0, len(order)))
    steps = [list(step) for step in (order[:cut], order[cut:]) if step]
    return {"mode": "applicationSet", **draw(_some({"rollout": st.just(steps)}))}
