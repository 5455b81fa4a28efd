"""Tests of the face wait for facts, here too."""

from __future__ import annotations

from tests.ui.conftest import _waiting_for_facts as _waiting_for_facts
