"""`jp-tui models`: the available models, as their servers list them (surface S2).

A table or JSON lines. A server's text is untrusted. A server that can't be queried is one line on stderr, not a
failure; the command fails only if one provider was requested and nothing was found.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.lists.request import ask, lookup
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.models import ModelInfo
from jp_tui.view.wording.models import facts, tags

_WIDEST = 44


@lookup
def list_models(link: Link, provider: str, output: TextOutput) -> int:
    """List all available models, or those of `provider`; return the exit status. Raises OutputEnded."""
    found = ask(link, c.ListModels(provider=provider), e.ModelsListed, output)
    for one in found.models:
        if output.as_json:
            output.line(one.model_dump(mode="json"))
    if not output.as_json:
        for text in _table(found.models):
            output.print(text)
    for text in _beside(found):
        output.tell(text)
    return FAILED if provider and not found.models else 0


def _table(models: tuple[ModelInfo, ...]) -> Iterator[str]:
    names = [neutralise(one.id, "line") for one in models]
    width = min(_WIDEST, max((len(name) for name in names), default=0))
    for name, one in zip(names, models, strict=True):
        more = " · ".join(part for part in (facts(one), neutralise(tags(one), "line")) if part)
        yield f"{name:<{width}}  {more}".rstrip()


def _beside(found: e.ModelsListed) -> Iterator[str]:
    for one in found.problems:
        yield " ".join(part for part in (one.message, one.advice) if part)
    if found.missing:
        yield "No API key for " + ", ".join(f"{one.provider} ({one.variable})" for one in found.missing) + "."
