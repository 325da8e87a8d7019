"""Which rights each command needs on a cluster: as roles to grant, and as a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.cluster.rights import Right, cluster_role
from gpuplan.cluster.snapshot import import_rights
from gpuplan.drift import rights as drift_rights
from gpuplan.drill import rights as drill_rights
from gpuplan.labelling import rights as labelling_rights
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.report.templating import filled
from gpuplan.verify.rights import list_rights, verify_rights


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a command needs: `always`, and `more` for what the fleet asks for, with words on what that is."""

    does: str
    always: tuple[Right, ...]
    more: Callable[[Fleet, Cluster], tuple[Right, ...]] | None = None
    more_words: str = ""

    def of(self, fleet: Fleet, cluster: Cluster) -> tuple[Right, ...]:
        """Return all rights for a cluster."""
        return self.more(fleet, cluster) if self.more else self.always


NEEDS: Mapping[str, Need] = MappingProxyType(
    {
        "drift": Need(does="looks for what is not as rendered", always=drift_rights.RIGHTS),
        "drill": Need(does="drains nodes, or makes one look broken", always=drill_rights.RIGHTS),
        "drill-maintenance": Need(does="drains nodes", always=drill_rights.MAINTENANCE),
        "import": Need(does="reads what is there", always=import_rights()),
        "label-nodes": Need(does="labels and taints nodes", always=labelling_rights.RIGHTS),
        "verify": Need(
            does="looks at what is there, and tries the guard rails",
            always=list_rights(),
            more=verify_rights,
            more_words="to ask who one is, and to create (in dry runs alone) pods and each kind of work of the fleet",
        ),
    }
)
"""By command. Without the rights that are used in dry runs alone, a command sees less, and says so."""


def role(command: str, fleet: Fleet, cluster: Cluster) -> str:
    """Return the ClusterRole of a command as YAML."""
    return yaml_text(cluster_role(f"gpuplan-{command}", NEEDS[command].of(fleet, cluster)))


def page() -> str:
    """Return the page on the rights of all commands."""
    roles = {name: yaml_text(cluster_role(f"gpuplan-{name}", need.always)) for name, need in NEEDS.items()}
    return filled("rights.md.j2", needs=NEEDS, roles=roles)
