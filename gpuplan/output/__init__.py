"""The tree of rendered files on disk: its index, what changed in it, and writing it in one step.

`write_tree` writes, `check_tree` only looks; both take the files that `rendered_files` makes from a `ManifestSet`.
"""

from __future__ import annotations

from gpuplan.output.check import Stale, Staleness, check_tree
from gpuplan.output.files import KeptFile, OutputFile, rendered_files
from gpuplan.output.plan import NotKeptError, WritePlan, plan_write
from gpuplan.output.swap import Guarantee
from gpuplan.output.write import WriteReport, write_tree

__all__ = [
    "Guarantee",
    "KeptFile",
    "NotKeptError",
    "OutputFile",
    "Stale",
    "Staleness",
    "WritePlan",
    "WriteReport",
    "check_tree",
    "plan_write",
    "rendered_files",
    "write_tree",
]
