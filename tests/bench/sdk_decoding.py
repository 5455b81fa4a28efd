"""`sdk_decoding.py WIRE WHERE REPS`, in the venv of the official SDKs: the processor time of each streamed reply.

WHERE is the address of a server, or a file with the body of a reply, which the SDK then reads without a network. Prints
JSON: the SDK's `version`, the `events` of a reply, `seconds` for each. Standard library and the SDKs only.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TEXT, PIECE = "Hello", 1_400


def client_of(where: str) -> tuple[str, dict[str, Any]]:
    """Return the address, and what an HTTP client is made with to answer from the file."""
    if where.startswith("http"):
        return where, {}
    import httpx2

    body = Path(where).read_bytes()
    pieces = [body[at : at + PIECE] for at in range(0, len(body), PIECE)]

    class Pieces(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return iter(pieces)

    def answer(_: Any) -> Any:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Pieces())

    return "http://h.invalid", {"transport": httpx2.MockTransport(answer)}


def openai_client(where: str) -> Any:
    import openai

    url, made = client_of(where)
    http = openai.DefaultHttpxClient(**made) if made else None
    return openai.OpenAI(api_key="k", base_url=url, max_retries=0, http_client=http)


def openai_chat(where: str) -> Callable[[], Iterator[Any]]:
    client, said = openai_client(where), [{"role": "user", "content": TEXT}]
    return lambda: iter(client.chat.completions.create(model="m", messages=said, stream=True))


def openai_responses(where: str) -> Callable[[], Iterator[Any]]:
    client = openai_client(where)
    return lambda: iter(client.responses.create(model="m", input=TEXT, store=False, stream=True))


def anthropic(where: str) -> Callable[[], Iterator[Any]]:
    import anthropic as sdk

    url, made = client_of(where)
    http = sdk.DefaultHttpxClient(**made) if made else None
    client: Any = sdk.Anthropic(api_key="k", base_url=url, max_retries=0, http_client=http)
    said = [{"role": "user", "content": TEXT}]
    return lambda: iter(client.messages.create(model="m", messages=said, max_tokens=100, stream=True))


def gemini(where: str) -> Callable[[], Iterator[Any]]:
    from google import genai
    from google.genai import types

    url, made = client_of(where)
    options = types.HttpOptions(base_url=url, api_version="v1beta", client_args=made or None)
    client = genai.Client(api_key="k", http_options=options)
    return lambda: iter(client.models.generate_content_stream(model="m", contents=TEXT))


READS = {
    "openai-chat": (openai_chat, "openai"),
    "openai-responses": (openai_responses, "openai"),
    "anthropic": (anthropic, "anthropic"),
    "gemini": (gemini, "google.genai"),
}


def main() -> None:
    wire, where, reps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    make, name = READS[wire]
    stream, seconds, events = make(where), list[float](), 0
    for number in range(reps + 2):
        began = time.process_time()
        events = sum(1 for _ in stream())
        if number > 1:  # what is loaded and made at the first request does not count
            seconds.append(time.process_time() - began)
    version = sys.modules[name].__version__
    print(json.dumps({"version": version, "events": events, "seconds": seconds}))


if __name__ == "__main__":
    main()
