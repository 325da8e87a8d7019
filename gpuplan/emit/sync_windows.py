"""Maintenance windows as Argo CD's sync windows, in each project whose Applications bring changes to nodes.

What Argo CD makes of them (v3.6, CanSync): an Application that some allow window names syncs only while one of them is
open, and nothing heals itself outside either; a deny window that is open wins over every allow window. A person may sync
by hand in the meantime where all windows that keep the Application off say `manualSync`. A sync that is under way when its
time ends stops before its next wave, unless all windows that would end it say `syncOverrun`. A window selects by the names
of the Applications, since their destinations may be written as a name or as a server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpuplan.manifests.kinds.argocd import AppProjectSpec, SyncWindow
from gpuplan.model.fleet import Cluster, Fleet, Window


def with_windows(
    spec: AppProjectSpec, fleet: Fleet, clusters: Iterable[Cluster], application: Callable[[str], str]
) -> AppProjectSpec:
    """Return a project with the windows of its Applications, as `sync_windows` finds them; unchanged where none matters."""
    windows = sync_windows(fleet, clusters, application)
    return {**spec, "syncWindows": windows} if windows else spec


def sync_windows(fleet: Fleet, clusters: Iterable[Cluster], application: Callable[[str], str]) -> list[SyncWindow]:
    """Return the windows of a project, in the order of the spec.

    `clusters` are those that the project has an Application for, and `application` names it. A window that names none
    of them is left out: Argo CD would show it and never apply it.
    """
    present = {cluster.name for cluster in clusters}
    named = (
        (window, sorted(application(name) for name in window.clusters if name in present))
        for window in fleet.governance.windows
    )
    return [_sync_window(window, names) for window, names in named if names]


def _sync_window(window: Window, applications: list[str]) -> SyncWindow:
    """Return one window. Argo CD drops switches that are off and an empty description when it writes a project."""
    made: SyncWindow = {
        "kind": "allow" if window.allows else "deny",
        "schedule": window.schedule,
        "duration": window.duration,
        "timeZone": window.time_zone,
        "applications": applications,
    }
    if window.manual_sync:
        made["manualSync"] = True
    if window.sync_overrun:
        made["syncOverrun"] = True
    description = ": ".join(filter(None, (window.name, window.reason)))
    return {**made, "description": description} if description else made
