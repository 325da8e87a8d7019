"""Each target of the jobs that our rules read is up, and is scraped as often as they assume."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.inventory.view import View
from gpuplan.verify import monitoring
from gpuplan.verify.loaded import samples, seconds, targets
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/targets",
    title="Each target of the exporters, of kube-state-metrics and of Kueue is up and scraped as often as the spec says",
    reads=("prometheus",),
    why="A rate over five minutes of what is scraped every five is nothing: the rule is loaded, says ok, and never fires.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each job that gives series which our rules read."""
    if not scene.cluster.pools:
        return
    found = targets(scene)
    its = _jobs(scene)
    words = Words(
        at=scene.place(scene.fleet.monitoring.path),
        good=f"all targets are up, scraped every {scene.fleet.monitoring.interval_seconds} s or more often",
        bad="targets are down or scraped too seldom",
        fix="Look at the target's error on Prometheus' page Status > Targets, and at the interval of its monitor.",
        look="Name the Prometheus that scrapes the cluster: a store behind it (Thanos, Mimir, VictoriaMetrics) has no targets.",
    )
    if isinstance(found, str):
        yield verdict(DOC, f"cluster {scene.cluster.name}", words, wrong=(), unseen=[found])
        return
    for job, what in its.items():
        here = [one for one in found if one["labels"]["job"].text() == job]
        wrong = [line for one in here for line in _wrong(scene, one)]
        unseen = (
            []
            if here
            else [f"no target has the label job={job!r}: relabelling has changed it, or it is scraped elsewhere"]
        )
        yield verdict(DOC, f"job {job} ({what})", words, wrong=wrong, unseen=unseen, right=[f"{len(here)} targets"])


def _jobs(scene: Scene) -> Mapping[str, str]:
    """Return the jobs by which our series come in, each with what it gives, sorted."""
    asked = scene.observed.prometheus
    found: dict[str, str] = {}
    for question in asked.answers if asked else ():
        if question.startswith(monitoring.exporter_question("")) or question == monitoring.SOURCES:
            said = samples(scene, question)
            for one in () if isinstance(said, str) else said:
                what = one.labels.get("__name__", "exporter").partition("_")[0]
                found.setdefault(one.labels.get("job", ""), _NAMES.get(what, what))
    return {job: found[job] for job in sorted(found) if job}


_NAMES = {"kube": "kube-state-metrics", "kueue": "Kueue", "exporter": "exporter of cards"}


def _wrong(scene: Scene, target: View) -> Iterator[str]:
    name = target["labels"]["instance"].text() or target["scrapePool"].text()
    node = target["labels"]["node"].text()
    named = f"{node}: {name}" if node else name
    if target["health"].text() == "down":
        yield f"{named} is down: {target['lastError'].text() or 'Prometheus says no more'}"
    every = seconds(target["scrapeInterval"].text())
    wanted = scene.fleet.monitoring.interval_seconds
    if every > wanted:
        yield f"{named} is scraped every {every:g} s, expected {wanted} s"
