"""The official SDKs against the strict server of the tests: it is no stricter than reality, and our streams are theirs.

JP_TUI_SDKS names a Python that has them (`python -m tests.providers.sdks` makes one), else these tests skip.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.bench.wires import reply
from tests.fakes.model_server import Answer, ModelServer
from tests.limits import LIMIT

from . import sdks
from .makers import STRICT
from .sdk_talks import TALKS

PYTHON = sdks.found()


@pytest.mark.skipif(PYTHON is None, reason="the official SDKs are not installed (JP_TUI_SDKS)")
@pytest.mark.parametrize("wire", TALKS)
async def test_the_strict_server_takes_what_the_official_sdk_sends(wire: str) -> None:
    async with ModelServer(Answer([reply(wire)])) as server:
        script = Path(__file__).with_name("sdk_talks.py")
        child = await asyncio.create_subprocess_exec(
            str(PYTHON),
            "-I",
            str(script),
            wire,
            server.url,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, words = await asyncio.wait_for(child.communicate(), LIMIT)
    assert child.returncode == 0 and said.strip() == b"3", words.decode()[-2000:]
    assert len(server.received) == 3
    for request in server.received:
        STRICT[wire](request.body)
