"""Detect a local server and its models (surface.md S21).

Runs only if no model is configured and no credential is found. Any failure counts as no server. Sends no credential and
never waits long.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonProblem, parse
from jp_tui.providers.http import fetch, reachable
from jp_tui.providers.wire import text

MAX_MODELS = 200
ANSWER_SECS = 1.0  # from the connection to the end of its list


async def serving(base_url: str, *, connect_secs: float = 0.15, answer_secs: float = ANSWER_SECS) -> tuple[str, ...]:
    """Return the model ids that an OpenAI-compatible server lists at `base_url`, in its order; empty if there are
    none."""
    if not await reachable(base_url, connect_secs):
        return ()
    body = await fetch(base_url.rstrip("/") + "/models", answer_secs)
    try:
        listed = parse(body) if body else None
    except JsonProblem:
        return ()
    models = listed.get("data") if isinstance(listed, dict) else None
    ids = [text(model, "id") for model in models] if isinstance(models, list) else []
    return tuple(id_ for id_ in ids if id_.strip() and id_.isprintable())[:MAX_MODELS]
