"""Requests of a server to the user's model: the question about one, and the reply in the protocol's form (P46).

Pure. The user reads all that is sent; each line of the server's is indented, so that none looks like one of ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jp_tui.conversation.model import Message, Picture, StopReason, TextPart
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.mcp.questions import SAMPLING
from jp_tui.mcp.results import IMAGE_BYTES, MOST_IMAGES, data_line, picture
from jp_tui.mcp.values import McpServer
from jp_tui.questions.bounds import MAX_CONTEXT
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.tools.port import Sampled, Sampler, SampleRequest

REFUSED = -1
_FAILED = -32603
_REASONS: dict[StopReason, str] = {"end": "endTurn", "length": "maxTokens", "window": "maxTokens"}


class NotSent(Exception):
    """The request isn't sent, without a question; the message says why."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """A request that may be sent after a yes to `question`. `stops` end the reply."""

    question: Question
    request: SampleRequest
    stops: tuple[str, ...] = ()

    def result(self, model: str, reply: Sampled) -> JsonObject:
        """Return the result for a reply."""
        text, reason = reply.text, _REASONS.get(reply.reason, reply.reason)
        found = [at for stop in self.stops if (at := text.find(stop)) >= 0]
        if found:
            text, reason = text[: min(found)], "stopSequence"
        content: JsonObject = {"type": "text", "text": text}
        return {"role": "assistant", "content": content, "model": model, "stopReason": reason}


def refusal(words: str = "The user did not allow it.") -> JsonObject:
    """Return the reply for a request that isn't sent."""
    return {"error": {"code": REFUSED, "message": words}}


def failure(words: str) -> JsonObject:
    """Return the reply where the model failed."""
    return {"error": {"code": _FAILED, "message": words}}


def sampling(params: Mapping[str, Json], server: McpServer, sampler: Sampler, before: int) -> Sampling:
    """Return the question for a request; `before` of them came in this call. Raises NotSent."""
    if before >= server.sampling_requests:
        raise NotSent(f"Only {server.sampling_requests} requests to the model are allowed in one call.")
    most, tools = params.get("maxTokens"), params.get("tools")
    if tools:
        raise NotSent("Tools are not supported in a request to the model.")
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise NotSent("maxTokens must be a number of at least 1.")
    if most > server.sampling_tokens:
        raise NotSent(f"maxTokens is {most}; at most {server.sampling_tokens} are allowed.")
    given = params.get("messages")
    messages = tuple(_message(one, sampler.images) for one in given) if isinstance(given, list) else ()
    if not messages:
        raise NotSent("There are no messages.")
    pictures = [len(part.data) for one in messages for part in one.parts if isinstance(part, Picture)]
    if len(pictures) > MOST_IMAGES or sum(pictures) > IMAGE_BYTES:
        raise NotSent(f"More than {MOST_IMAGES} images, or {IMAGE_BYTES >> 20} MiB of them, are not sent to a model.")
    system, warmth = params.get("systemPrompt"), params.get("temperature")
    request = SampleRequest(
        messages,
        most,
        system if isinstance(system, str) else "",
        float(warmth) if isinstance(warmth, int | float) and math.isfinite(warmth) else None,
    )
    stops = params.get("stopSequences")
    ends = tuple(one for one in stops if isinstance(one, str) and one) if isinstance(stops, list) else ()
    shown = "\n".join(_lines(request, sampler.model, ends))
    if len(shown.encode("utf-8", "replace")) > MAX_CONTEXT:
        raise NotSent(f"The request is longer than {MAX_CONTEXT >> 10} KiB: it can't be shown to the user.")
    question = Question(
        SAMPLING,
        f"Send this to {sampler.model}, for a reply of at most {most:,} tokens?",
        BooleanAnswer(),
        shown,
        exclusive=True,
        persistence="none",
        floor=True,
        acts=True,
        serves=True,
    )
    return Sampling(question, request, ends)


def _message(given: Json, images: bool | None) -> Message:
    if not isinstance(given, dict) or given.get("role") not in ("user", "assistant"):
        raise NotSent("A message has no known role.")
    blocks = _blocks(given)
    if given["role"] == "assistant":
        return Message("assistant", tuple(_text(block) for block in blocks))
    return Message("user", tuple(_part(block, images) for block in blocks))


def _blocks(given: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    content = given.get("content")
    return [one for one in (content if isinstance(content, list) else [content]) if isinstance(one, dict)]


def _part(block: Mapping[str, Json], images: bool | None) -> TextPart | Picture:
    if block.get("type") != "image":
        return _text(block)
    made = None if images is False else picture(block, IMAGE_BYTES)
    if made is None:
        raise NotSent("The user's model doesn't take this image.")
    return made


def _text(block: Mapping[str, Json]) -> TextPart:
    text = block.get("text")
    if block.get("type") != "text" or not isinstance(text, str):
        raise NotSent(f"The user's model doesn't take content of type {block.get('type')}.")
    return TextPart(text)


def _lines(request: SampleRequest, model: str, stops: Sequence[str]) -> Iterator[str]:
    """Yield everything that is sent."""
    yield f"Model: {model}"
    yield f"At most {request.max_tokens:,} tokens of reply, at your cost. The reply goes to the server."
    if request.temperature is not None:
        yield f"Temperature: {request.temperature:g}"
    if stops:
        yield "The reply ends before:"
        for stop in stops:
            yield from _indented(stop)
    if request.system:
        yield "System prompt:"
        yield from _indented(request.system)
    for message in request.messages:
        yield "User:" if message.role == "user" else "Assistant:"
        for part in message.parts:
            if isinstance(part, Picture):
                yield from _indented(data_line(part.media, part.data))
            elif isinstance(part, TextPart):
                yield from _indented(part.text)


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines() or [""]:
        yield f"  {line}"
