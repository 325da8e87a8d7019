"""What engines and release controllers say of the day, and what Prometheus recorded of training a week before."""

from __future__ import annotations

import itertools

import numpy as np

from gpuplan.catalog.serving import Bounds, Servings
from gpuplan.emit import reclaim
from gpuplan.emit.monitoring import scrapes, series
from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import Serving
from gpuplan.model.queues import TaskKind
from tests.pictures.cards import noise
from tests.pictures.day import Day, Job, Pod
from tests.pictures.samples import MINUTES, NOW, START, Samples, Values, between, counter, during, histogram

SLOW = (16 * 60, 18 * 60)
"""When a release makes answers slow."""
MODELS = ("llama-70b", "qwen-32b")
APPLICATIONS = (
    ("chat", "serving", "nlp"),
    ("ranker", "serving", "search"),
    ("gpuplan-prod-eu", "gpu-fleet", "gpu-system"),
)
"""Name, project and namespace of what Argo CD syncs."""


def add(samples: Samples, fleet: Fleet, day: Day) -> None:
    """Add each serving pod's metrics, and the syncs of applications."""
    engines = {cohort.task_pool.name: serving for cohort, serving in scrapes.serving_pools(day.cluster)}
    for job in day.jobs:
        serving = engines.get(job.cohort.task_pool.name)
        if serving:
            for pod in job.pods:
                _engine(samples, fleet.catalog.serving, serving, job, pod)
    if reclaim.watched(fleet, day.cluster):
        reclaimer(samples, day)
    if "argocd" in scrapes.release_controllers(fleet, day.cluster):
        _syncs(samples)


def reclaimer(samples: Samples, day: Day) -> None:
    """Add what the reclaimer says: each piece of work is idle when it has done nothing for as long as its policy allows."""
    clock: Values = np.asarray(START + 60 * NOW, dtype=np.float64)
    samples.add("gpuplan_reclaim_last_success_timestamp_seconds", {}, clock)
    samples.add("gpuplan_reclaim_circuit_open", {}, 0.0)
    counts = {verdict: np.zeros(MINUTES) for verdict in ("active", "in_grace", "protected")}
    for job in (one for one in day.jobs if one.pods):
        policy = job.cohort.task_pool.idle
        since = job.ready + 20 + policy.idle_minutes if job.lazy else job.ended
        counts["active" if policy.enabled else "protected"] += during(job.admitted, min(since, job.ended))
        if policy.enabled and since < job.ended:
            counts["in_grace"] += during(since, job.ended)
            labels = {"namespace": job.namespace, "owner_kind": "Job", "owner": job.name}
            idle = {**labels, "task_pool": job.cohort.task_pool.name}
            samples.add("gpuplan_reclaim_idle", idle, between(since, job.ended))
    for verdict, count in counts.items():
        samples.add("gpuplan_reclaim_candidates", {"verdict": verdict}, count)


def _traffic(name: str) -> Values:
    """Requests a minute: most in the afternoon, few at night."""
    made: Values = 20 + 90 * np.clip(np.sin((NOW / 60 - 7) / 17 * np.pi), 0, 1) ** 2 + 5 * np.abs(noise(name, 1))
    return made


def _engine(samples: Samples, known: Servings, serving: Serving, job: Job, pod: Pod) -> None:
    engine, version = serving.engine, serving.version
    labels = {"namespace": job.namespace, "pod": pod.name, "task_pool": job.cohort.task_pool.name}
    if known.engines[engine].model_label:
        labels[known.engines[engine].model_label] = MODELS[sum(map(ord, job.queue.team.name)) % len(MODELS)]
    asked = np.round(_traffic(pod.name))
    slow = during(*SLOW)
    load = asked / 110
    gauges = {
        "waiting": np.where(slow, 6 * load, np.maximum(0, 8 * (load - 0.85))),
        "running": 14 * load,
        "cache": np.clip(0.25 + 0.6 * load, 0, 0.99),
    }
    for purpose, values in gauges.items():
        name = known.metric(engine, purpose, version)
        if name:
            samples.add(name, labels, np.round(values, 3))
    for purpose, grown in (("requests", asked), ("tokens", asked * 310), ("failures", asked * 0.002)):
        name = known.metric(engine, purpose, version)
        if name:
            samples.add(name, labels, counter(grown))
    if known.engines[engine].has_histograms:
        promise = serving.slo.latency_milliseconds / 1000 if serving.slo else 1.0
        usual = promise * np.where(slow, 0.7, 0.12) * (0.7 + asked / 200)
        _answers(samples, known.bounds[known.objective(engine, version)], labels, asked, usual)
    else:
        spent = asked * np.where(slow, 0.9, 0.35) * 1e6
        samples.add(known.objective(engine, version), labels, counter(spent))


def _answers(samples: Samples, of: Bounds, labels: dict[str, str], asked: Values, middle: Values) -> None:
    """Spread the times of a minute's answers over the buckets around what is usual, in seconds."""
    bounds = of.seconds
    below = [np.zeros(MINUTES), *(1 / (1 + (middle / float(bound)) ** 3.5) for bound in bounds), np.ones(MINUTES)]
    counts = {
        bound: asked * (upper - lower)
        for bound, (lower, upper) in zip((*bounds, "+Inf"), itertools.pairwise(below), strict=True)
    }
    histogram(samples, of.metric, labels, bounds, counts)


def _syncs(samples: Samples) -> None:
    for number, (name, project, namespace) in enumerate(APPLICATIONS):
        labels = {
            "namespace": "argocd",
            "name": name,
            "project": project,
            "dest_server": "https://here",
            "dry_run": "false",
        }
        done, failed = np.zeros(MINUTES), np.zeros(MINUTES)
        done[60 + 37 * number :: 190] = 1.0
        if number == 1:
            failed[[16 * 60 + 2, 16 * 60 + 30, 17 * 60]] = 1.0
        for phase, happened in (("Succeeded", done), ("Failed", failed), ("Error", failed * 0)):
            samples.add(
                "argocd_app_sync_total", {**labels, "phase": phase}, 40 * (phase == "Succeeded") + counter(happened)
            )
        info = {
            "namespace": "argocd",
            "name": name,
            "project": project,
            "dest_namespace": namespace,
            "sync_status": "Synced",
        }
        samples.add("argocd_app_info", {**info, "health_status": "Healthy"}, 1.0)


def week_before(day: Day) -> Samples:
    """Return what was recorded of training a week before: as busy as today, a little more for one team."""
    samples = Samples({series.TENSOR.name})
    trained = {
        (job.queue.team.name, job.pool.name)
        for job in day.jobs
        if job.pods and job.cohort.task_pool.kind is TaskKind.TRAINING
    }
    for number, (team, pool) in enumerate(sorted(trained)):
        level = 0.45 + 0.08 * (number % 2) + noise(team + pool, 0.02)
        samples.add(series.TENSOR.name, {"team": team, "pool": pool}, level)
    return samples
