"""`delivery:`: how the output reaches the clusters."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from gpuplan.spec.base import Name, SpecModel, Text


class ArgoCdSpec(SpecModel):
    """Where Argo CD finds `rendered/`, and how it brings it to the clusters."""

    repo_url: Text = Field(default="https://git.example.com/fleet.git", alias="repoURL")
    """Repository that holds `rendered/`."""
    target_revision: Text = "main"
    """Branch or tag that Argo CD follows."""
    path: Text = "rendered"
    """Folder of the output in the repository."""
    namespace: Name = "argocd"
    """Namespace that Argo CD runs in."""
    project: Name | None = None
    """Name of the AppProject; by default the fleet's name."""
    mode: Literal["applications", "applicationSet"] = "applications"
    """`applications`: one for each cluster. `applicationSet`: one ApplicationSet that makes them."""
    rollout: list[Annotated[list[Name], Field(min_length=1)]] = []
    """Steps of clusters, as `[[lab], [eu, us]]`: each is synced when all before it are healthy. Needs `mode: applicationSet`."""
    replace_priority_classes: bool = False
    """Whether PriorityClasses are deleted and made anew when they change, since Kubernetes refuses to change their values."""

    @model_validator(mode="after")
    def _rollout_by_a_set(self) -> Self:
        if self.rollout and self.mode != "applicationSet":
            message = "rollout needs mode: applicationSet, since nothing else orders the clusters"
            raise PydanticCustomError("needs_another", "{message}", {"message": message, "key": "mode"})
        return self


class DeliverySpec(SpecModel):
    """`delivery:`."""

    argocd: ArgoCdSpec = ArgoCdSpec()
    """Where Argo CD finds the output, and how it brings it to the clusters."""
