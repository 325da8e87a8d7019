"""Dashboards in Grafana's words, by its own typed library, and as the JSON that its sidecar reads.

Facts: the model of Grafana 11.6 (schema 41). Only this module and `grafana_panels` know the library, and they are
imported when dashboards are made, since the library takes a tenth of a second to load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

from gpuplan.emit.dashboards.grafana_panels import DATASOURCE, panel
from gpuplan.emit.dashboards.panels import GRID, ROW_HEIGHT, Board, places
from gpuplan.emit.monitoring import series

ALL = "$__all"
_VALUES = {
    "pool": (f'{series.POOL}{{cluster=~"$cluster"}}', "Pool"),
    "team": (f'{series.TEAM}{{cluster=~"$cluster"}}', "Team"),
    "node": (f'{series.NODE_POOL}{{cluster=~"$cluster", pool=~"$pool"}}', "Node"),
    "task_pool": (f'{series.QUEUE_TEAM}{{cluster=~"$cluster", team=~"$team"}}', "Task pool"),
    "model": (f'{series.REQUESTS}{{cluster=~"$cluster", team=~"$team", task_pool=~"$task_pool"}}', "Model"),
}
"""Where the values of each variable come from, and its name for people."""


def text(board: Board, uids: dict[str, str], tag: str) -> str:
    """Return a dashboard as JSON, the same for the same board. `uids` are those of all dashboards of the cluster by key.

    Each panel is a line: a change shows as the line of its panel, and Python's fast encoder knows no indentation.
    """
    fields = {**_dashboard(board, uids, tag).build().to_json(), "panels": None}
    panels = ",\n".join(map(_line, _panels(board, uids)))
    lines = (
        f"{_line(name)}: " + (f"[\n{panels}\n]" if name == "panels" else _line(fields[name])) for name in sorted(fields)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: object) -> str:
    return json.dumps(value, cls=JSONEncoder, sort_keys=True, ensure_ascii=False)


def _dashboard(board: Board, uids: dict[str, str], tag: str) -> build.Dashboard:
    made = (
        build.Dashboard(board.title)
        .uid(uids[board.key])
        .description(board.says)
        .tags(["gpuplan", tag])
        .readonly()
        .timezone("browser")
        .time("now-24h", "now")
        .refresh("1m")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .link(
            build.DashboardLink("GPU dashboards")
            .type(model.DashboardLinkType.DASHBOARDS)
            .tags([tag])
            .include_vars(include_vars=True)
            .keep_time(keep_time=True)
        )
        .with_variable(build.DatasourceVariable("datasource").label("Data source").type("prometheus"))
        .with_variable(_query("cluster", f"label_values({series.POOL}, cluster)", "Cluster", multi=False))
    )
    for name in board.variables:
        metric, label = _VALUES[name]
        made = made.with_variable(_query(name, f"label_values({metric}, {name})", label, multi=True))
    return made


def _query(name: str, query: str, label: str, *, multi: bool) -> build.QueryVariable:
    """Return a variable that matches everything until somebody chooses, also series without such a label."""
    return (
        build.QueryVariable(name)
        .label(label)
        .datasource(DATASOURCE)
        .query({"query": query, "refId": name})
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.NATURAL_ASC)
        .multi(multi)
        .include_all(include_all=True)
        .all_value(".*")
        .current(model.VariableOption(selected=True, text=["All"] if multi else "All", value=[ALL] if multi else ALL))
    )


def _panels(board: Board, uids: dict[str, str]) -> Iterator[model.Panel | model.RowPanel]:
    number, top = 0, 0
    for section in board.sections:
        number += 1
        yield model.RowPanel(
            title=section.title, id_val=number, grid_pos=model.GridPos(x=0, y=top, w=GRID, h=ROW_HEIGHT), panels=[]
        )
        top += ROW_HEIGHT
        for one, place in places(section.panels, top):
            number += 1
            made = panel(one, uids)
            made.id_val = number
            made.grid_pos = model.GridPos(x=place.x, y=place.y, w=place.w, h=place.h)
            yield made
            bottom = place.y + place.h
        top = bottom
