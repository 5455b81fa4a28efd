"""The engine bench of `tests/engine`, for hostile input on its whole way; apps wait for facts as in `tests/ui`."""

from __future__ import annotations

from tests.engine.conftest import bench as bench
from tests.ui.conftest import _waiting_for_facts as _waiting_for_facts
