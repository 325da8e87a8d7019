"""Panels on the engines that answer requests, by their own metrics: what waits, what runs, and the cache."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.dashboards.business import serving_pools
from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query

WAITING = {
    "vllm": ("vllm:num_requests_waiting", "vllm:num_requests_running"),
    "sglang": ("sglang:num_queue_reqs", "sglang:num_running_reqs"),
    "triton": ("nv_inference_pending_request_count",),
    "tgi": ("tgi_queue_size",),
}
"""Requests that wait, and those that run where an engine tells them apart."""
CACHE = {"vllm": "vllm:kv_cache_usage_perc", "sglang": "sglang:token_usage"}
"""Used part of the cache of keys and values, 0 to 1."""
TOKENS = {"vllm": "rate({}[$__rate_interval])", "sglang": "{}"}
TOKEN_METRIC = {"vllm": "vllm:generation_tokens_total", "sglang": "sglang:gen_throughput"}


def panels(on: Context) -> Iterator[Panel]:
    """Yield the panels of the engines that the cluster has."""
    used = sorted({pool.serving.engine for pool in serving_pools(on) if pool.serving})
    waiting = [
        Query(expr=_by_namespace(on, metric), legend=f"{{{{namespace}}}} {name}")
        for engine in used
        for metric, name in zip(WAITING[engine], ("waiting", "running"), strict=False)
    ]
    yield Panel(
        title="Requests in the engines",
        says="Requests that wait for their turn, and those that are being answered. Waiting ones that grow mean too few cards.",
        kind="lines",
        queries=tuple(waiting),
        least=0,
    )
    caches = [Query(expr=_by_namespace(on, CACHE[one], "max"), legend="{{namespace}}") for one in used if one in CACHE]
    if caches:
        yield Panel(
            title="KV cache",
            says="Used part of the cache of keys and values; at 100 % requests are thrown out and begun anew.",
            kind="lines",
            queries=tuple(caches),
            unit="percentunit",
            least=0,
            most=1,
        )
    tokens = [
        Query(expr=f"sum by (namespace) ({_filtered(on, TOKEN_METRIC[one], TOKENS[one])})", legend="{{namespace}}")
        for one in used
        if one in TOKENS
    ]
    if tokens:
        yield Panel(
            title="Tokens",
            says="Tokens that are generated, a second.",
            kind="stacked",
            queries=tuple(tokens),
            unit="suffix: tokens/s",
            least=0,
        )


def _by_namespace(on: Context, metric: str, how: str = "sum") -> str:
    return f"{how} by (namespace) ({_filtered(on, metric, '{}')})"


def _filtered(on: Context, metric: str, around: str) -> str:
    """Give each pod's series its team, which also filters it; requests are of the team of the namespace."""
    return on.scope.by_namespace_team(around.format(on.scope.raw(metric)))
