"""What differs between two Kubernetes objects, by meaning: what the API server takes for the same is the same here."""

from __future__ import annotations

from gpuplan.compare.applying import apply
from gpuplan.compare.change import ABSENT, Absent, Change, ChangeKind, Item, Shifted, Step, path_text
from gpuplan.compare.walk import compare

__all__ = ["ABSENT", "Absent", "Change", "ChangeKind", "Item", "Shifted", "Step", "apply", "compare", "path_text"]
