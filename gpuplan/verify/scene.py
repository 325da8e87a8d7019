"""All that a check may look at: the cluster as the spec wants it, what was rendered for it, and what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan.diagnostics import KeyPath, Span
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.verify.observed import Object, Observed
from gpuplan.verify.verdicts import CheckDoc, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One cluster to be judged. `manifests` are those of this cluster, and Argo CD's for it."""

    fleet: Fleet
    cluster: Cluster
    manifests: tuple[Manifest, ...]
    observed: Observed

    def seen(self, kind: str) -> tuple[Object, ...]:
        """Return the objects of a kind; none where they could not be seen, of which `blind` tells."""
        found = self.observed.of(kind)
        return () if isinstance(found, str) else found

    def wanted(self, kind: str) -> tuple[Mapping[str, Any], ...]:
        """Return the rendered objects of a kind."""
        return tuple(one.object for one in self.manifests if one.key.kind == kind)

    def place(self, path: KeyPath) -> Span:
        """Return the line of `fleet/` that a path stands on."""
        return self.fleet.places.value(path)

    def blind(self, doc: CheckDoc) -> Verdict | None:
        """Return the verdict of a check that cannot see what it reads, or None where it sees everything."""
        whys = [why for kind in doc.reads if (why := self._unseen(kind))]
        if not whys:
            return None
        return Verdict(
            check=doc.id,
            subject=f"cluster {self.cluster.name}",
            outcome=Outcome.UNKNOWN,
            summary="It could not be seen",
            evidence=tuple(dict.fromkeys(whys)),
        )

    def _unseen(self, kind: str) -> str:
        servers = {"prometheus": self.observed.prometheus, "alertmanager": self.observed.alertmanager}
        if kind in servers:
            asked = servers[kind]
            return f"no {kind.capitalize()} was named (--{kind} URL)" if asked is None else asked.problem
        found = self.observed.of(kind)
        return found if isinstance(found, str) else ""
