"""Shared setup of all tests."""

from __future__ import annotations

import sys
from pathlib import Path

# Test helpers are imported as `tests.…`, also by a plain `pytest`, which does not put the repository on the path.
sys.path.insert(0, str(Path(__file__).parents[1]))

pytest_plugins = ["tests.controlplane.fixtures"]
