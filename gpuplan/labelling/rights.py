"""The rights that labelling nodes needs; without `--yes` the right to patch is used in dry runs alone."""

from __future__ import annotations

from typing import Final

from gpuplan.cluster.rights import rights

RIGHTS: Final = (
    *rights("list", "", "nodes", "to see which nodes there are"),
    *rights("get", "", "nodes", "to read a node anew before it is written (--yes)"),
    *rights("patch", "", "nodes", "to set our labels, taints and note; without --yes in dry runs alone"),
    *rights("list", "", "pods", "to say which pods a new taint evicts"),
)
