"""Shared setup of all tests."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from hypothesis import settings

# Test helpers are imported as `tests.…`, also by a plain `pytest`, which does not put the repository on the path.
sys.path.insert(0, str(Path(__file__).parents[1]))

pytest_plugins = ["tests.controlplane.fixtures"]

# A busy machine is no failure, and CI draws the same examples every time.
settings.register_profile("gpuplan", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("gpuplan")

# Shells start what is in the background with Ctrl-C ignored, and programs of tests would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("GPUPLAN_CACHE", "off")  # trees of tests are no business of the user's cache
os.environ.pop("COLUMNS", None)  # what the tests see must not follow from how wide somebody's terminal is
