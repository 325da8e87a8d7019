"""Panels in Grafana's words: one builder of its library for each kind, and what all kinds share."""

from __future__ import annotations

from collections.abc import Iterator

from grafana_foundation_sdk.builders import bargauge, common, prometheus, stat, table, timeseries
from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import common as words
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from gpuplan.emit.dashboards.panels import Kind, Limit, Panel, Query

DATASOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")
GOOD, BAD = "green", "red"
_REFERENCES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def panel(of: Panel, uids: dict[str, str]) -> model.Panel:
    """Return a panel without number and place."""
    made = _builder(of).build()
    made.title, made.description, made.datasource = of.title, of.says, DATASOURCE
    made.targets = [_target(query, number, of.kind).build() for number, query in enumerate(of.queries)]
    if made.field_config is None:
        made.field_config = model.FieldConfigSource()
    fields = made.field_config.defaults
    fields.unit, fields.min_val, fields.max_val = of.unit, of.least, of.most
    fields.thresholds = _thresholds(of.limit)
    if of.kind == "table":
        made.transformations = list(_columns(of))
        made.field_config.overrides = list(_overrides(of, uids))
    return made


def _builder(of: Panel) -> Builder[model.Panel]:
    match of.kind:
        case "stat":
            return (
                stat.Panel().graph_mode(words.BigValueGraphMode.AREA).color_mode(_coloured(of)).reduce_options(_last())
            )
        case "bars":
            return bargauge.Panel().orientation(words.VizOrientation.HORIZONTAL).reduce_options(_last())
        case "table":
            return table.Panel().show_header(show_header=True)
        case "lines" | "stacked":
            return _lines(of)


def _coloured(of: Panel) -> words.BigValueColorMode:
    return words.BigValueColorMode.VALUE if of.limit else words.BigValueColorMode.NONE


def _last() -> common.ReduceDataOptions:
    return common.ReduceDataOptions().calcs(["lastNotNull"])


def _lines(of: Panel) -> timeseries.Panel:
    stacked = of.kind == "stacked"
    made = (
        timeseries.Panel()
        .line_width(1)
        .fill_opacity(30 if stacked else 0)
        .show_points(words.VisibilityMode.NEVER)
        .stacking(common.StackingConfig().mode(words.StackingMode.NORMAL if stacked else words.StackingMode.NONE))
        .legend(
            common.VizLegendOptions()
            .show_legend(show_legend=True)
            .display_mode(words.LegendDisplayMode.LIST)
            .placement(words.LegendPlacement.BOTTOM)
        )
        .tooltip(common.VizTooltipOptions().mode(words.TooltipDisplayMode.MULTI).sort(words.SortOrder.DESCENDING))
        .color_scheme(build.FieldColor().mode(model.FieldColorModeId.PALETTE_CLASSIC_BY_NAME))
    )
    if of.limit:
        made = made.thresholds_style(common.GraphThresholdsStyleConfig().mode(words.GraphThresholdsStyleMode.DASHED))
    return made


def _target(query: Query, number: int, kind: Kind) -> prometheus.Dataquery:
    made = prometheus.Dataquery().expr(query.expr).ref_id(_REFERENCES[number]).datasource(DATASOURCE)
    if kind == "table":
        return made.instant().format(PromQueryFormat.TABLE)
    made = made.instant() if kind == "bars" else made.range()
    return made.legend_format(query.legend) if query.legend else made


def _thresholds(limit: Limit | None) -> model.ThresholdsConfig:
    steps = [model.Threshold(value=None, color=GOOD)]
    if limit and limit.bad == "above":
        steps.append(model.Threshold(value=limit.value, color=BAD))
    elif limit:
        steps = [model.Threshold(value=None, color=BAD), model.Threshold(value=limit.value, color=GOOD)]
    return model.ThresholdsConfig(mode=model.ThresholdsMode.ABSOLUTE, steps=steps)


def _columns(of: Panel) -> Iterator[model.DataTransformerConfig]:
    """Join the answers of a table by the labels that they share, and name the columns."""
    yield model.DataTransformerConfig(id_val="merge", options={})
    yield model.DataTransformerConfig(
        id_val="organize",
        options={
            "excludeByName": {"Time": True},
            "indexByName": {},
            "renameByName": {name: query.legend for name, query in _values(of)},
        },
    )


def _values(of: Panel) -> Iterator[tuple[str, Query]]:
    """Yield Grafana's name of each value's column: `Value` where there is one, else with its reference."""
    for number, query in enumerate(of.queries):
        yield ("Value" if len(of.queries) == 1 else f"Value #{_REFERENCES[number]}"), query


def _overrides(of: Panel, uids: dict[str, str]) -> Iterator[model.DashboardFieldConfigSourceOverrides]:
    for query in of.queries:
        if query.unit:
            yield _override(query.legend, "unit", query.unit)
    if of.link and of.link[1] in uids:
        label, key = of.link
        url = f"/d/{uids[key]}?${{__url_time_range}}&var-{label}=${{__value.raw:percentencode}}"
        yield _override(label, "links", [{"title": f"This {label}", "url": url}])


def _override(column: str, what: str, value: object) -> model.DashboardFieldConfigSourceOverrides:
    return model.DashboardFieldConfigSourceOverrides(
        matcher=model.MatcherConfig(id_val="byName", options=column),
        properties=[model.DynamicConfigValue(id_val=what, value=value)],
    )
