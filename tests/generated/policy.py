"""Fleet-wide policy: monitoring, governance, delivery, and suppressions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gpuplan import catalog
from tests.generated import words

Entry = dict[str, Any]

COUNTERS = tuple(sorted(name for name in catalog.load().metrics if name.startswith(("DCGM_FI_", "DCGM_EXP_"))))
PLAIN_COUNTERS = tuple(name for name in COUNTERS if not name.startswith("DCGM_FI_PROF_"))
ENFORCEMENT = ("warn", "off", "deny")
SUPPRESSIONS: tuple[Entry, ...] = (
    {"rule": "tier/unused", "reason": "the lab opens next year", "until": "2027-01-31"},
    {"rule": "quota/unallocated", "reason": "room for guests: ~10 %"},
    {"rule": "delivery/example-repository", "at": "delivery.argocd", "reason": "größer als nötig 🎉"},
)


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    """Return any of the sections `monitoring`, `governance`, `delivery` and `suppress`."""
    made: dict[str, Any] = {}
    for key, section in (("monitoring", _monitoring()), ("governance", _governance()), ("delivery", _delivery())):
        if draw(st.booleans()):
            made[key] = draw(section)
    if draw(words.SELDOM):
        made["suppress"] = draw(st.lists(st.sampled_from(SUPPRESSIONS), max_size=3, unique_by=lambda one: one["rule"]))
    return made


@st.composite
def _some(draw: st.DrawFn, choices: dict[str, st.SearchStrategy[Any]]) -> Entry:
    """Return some of the keys with a value each."""
    return {key: draw(value) for key, value in choices.items() if draw(st.booleans())}


@st.composite
def _monitoring(draw: st.DrawFn) -> Entry:
    profiling = draw(st.booleans())
    counters = st.lists(st.sampled_from(COUNTERS if profiling else PLAIN_COUNTERS), max_size=4)
    exporter = draw(_some({"intervalSeconds": st.sampled_from((30, 1, 3600)), "extraCounters": counters}))
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
                "runbookBase": st.builds(lambda slug: f"https://runbooks.acme.internal/{slug}/", words.slugs()),
            }
        )
    )
    return {**made, "exporter": {**exporter, "profiling": profiling}}


@st.composite
def _governance(draw: st.DrawFn) -> Entry:
    users = st.lists(words.texts(), max_size=2, unique=True)
    rails = {
        "queueRequired": st.sampled_from(ENFORCEMENT),
        "producedResources": st.sampled_from(ENFORCEMENT),
        "exemptUsers": users,
    }
    security = st.sampled_from(("baseline", "restricted", "privileged"))
    return draw(_some({"guardRails": _some(rails), "podSecurity": security}))


@st.composite
def _delivery(draw: st.DrawFn) -> Entry:
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
        "project": st.sampled_from(("platform", "true", "x" * 57)),
    }
    return {"argocd": {"repoURL": address, **draw(_some(said))}}
