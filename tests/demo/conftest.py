"""The engine's bench for walks of the tour."""

from __future__ import annotations

from tests.engine.conftest import bench as bench
