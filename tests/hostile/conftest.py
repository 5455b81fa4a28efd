"""The engine bench of `tests/engine`, for hostile input on its whole way."""

from __future__ import annotations

from tests.engine.conftest import bench as bench
