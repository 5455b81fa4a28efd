"""A store on a server: the state of its connection, and what waits while it is out of reach (store.md D12)."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model


class RetryStore(Model):
    """Try now to reach the store, instead of at the next time; without effect while it is in reach."""

    type: Literal["retry_store"] = "retry_store"


class TakeBackAnswer(Model):
    """Drop an answer that wasn't sent, because the store is out of reach; answered by AnswerHeld, or not at all if it
    was sent already."""

    type: Literal["take_back_answer"] = "take_back_answer"
    conversation: str
    inquiry: str


class StoreState(Model):
    """The store's short name, and why it can't be reached, empty while it can. Until it can, nothing is recorded: no
    tool and no request to a model starts. `back`: it was lost before. `warning`: what is weak about the connection.
    `newer`: it is in reach, and its schema is too new for this program (store.md D7)."""

    type: Literal["store_state"] = "store_state"
    name: str
    problem: str = ""
    warning: str = ""
    back: bool = False
    newer: bool = False


class AnswerHeld(Model):
    """An answer waits for the store, and is sent only if the same question is open then; or, without `held`, it was
    taken back."""

    type: Literal["answer_held"] = "answer_held"
    conversation: str
    inquiry: str
    held: bool


class DraftsFound(Model):
    """Drafts that the store had, by key, of a conversation that was opened while it was out of reach, or that another
    machine changed meanwhile: they come before what is typed here."""

    type: Literal["drafts_found"] = "drafts_found"
    conversation: str
    drafts: dict[str, str]


StoreCommand = RetryStore | TakeBackAnswer
StoreEvent = StoreState | AnswerHeld | DraftsFound
