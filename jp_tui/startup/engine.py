"""Engine of a run, behind its link."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jp_tui.startup.parts import Parts

if TYPE_CHECKING:
    from jp_tui.journal.port import Journal
    from jp_tui.link.local import LocalLink
    from jp_tui.link.port import EngineEndpoint
    from jp_tui.protocol.events import Event


def link(
    made: Parts,
    journal: Journal,
    *,
    client: bool,
    command: str,
    greet: bool = False,
    via: str = "",
    reviews: bool = True,
    secrets: bool = True,
    spools: bool = False,
) -> LocalLink:
    """Return an engine in its own thread, over the open database; `reviews` and `secrets` are capabilities of its front
    end (R182b, R241), `spools`: unsent text and answers wait for a store that is out of reach (D12)."""
    from jp_tui.link.local import LocalLink

    def build(publish: Callable[[Event], None]) -> EngineEndpoint:
        from jp_tui.engine.hub import Engine
        from jp_tui.startup.setup import setup

        made_of = setup(
            made, journal, client=client, command=command, via=via, reviews=reviews, secrets=secrets, spools=spools
        )
        return Engine(made_of, publish, greet=greet)

    return LocalLink(build)
