"""`sdk_talks.py WIRE URL`, in the venv of the official SDKs: conversations as their documentation writes them.

Each is one streamed request; the server that it goes to keeps the bodies. Prints how many there were. Standard library
and the SDKs only.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator
from typing import Any

PICTURE = "iVBORw0KGgo="
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}


def openai_chat(url: str) -> Iterator[Any]:
    import openai

    create = openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0).chat.completions.create
    tools: Any = [{"type": "function", "function": {"name": "look", "description": "Look.", "parameters": SCHEMA}}]
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
    calls = [
        {"id": f"call_{at}", "type": "function", "function": {"name": "look", "arguments": f'{{"at":"{at}"}}'}}
        for at in "ab"
    ]
    talk: list[Any] = [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": [{"type": "text", "text": "look"}, image]},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_b", "content": ""},
        {"role": "tool", "tool_call_id": "call_a", "content": "seen"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "and now?"},
    ]
    yield create(model="m", messages=talk[:2], stream=True)
    options: Any = {"stream_options": {"include_usage": True}, "reasoning_effort": "low", "temperature": 1}
    yield create(model="m", messages=talk[:5], tools=tools, tool_choice="required", stream=True, **options)
    yield create(model="m", messages=talk, tools=tools, stream=True, max_completion_tokens=100)


def openai_responses(url: str) -> Iterator[Any]:
    import openai

    create = openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0).responses.create
    tools: Any = [{"type": "function", "name": "look", "description": "Look.", "parameters": SCHEMA, "strict": False}]
    image = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PICTURE}"}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc-1"}
    calls = [
        {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{at}", "name": "look", "arguments": "{}"}
        for at in "ab"
    ]
    talk: list[Any] = [
        {"role": "user", "content": [{"type": "input_text", "text": "look"}, image]},
        thought,
        *calls,
        {"type": "function_call_output", "call_id": "call_b", "output": ""},
        {"type": "function_call_output", "call_id": "call_a", "output": "seen"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
        },
        {"role": "user", "content": "and now?"},
    ]
    more: Any = {"store": False, "stream": True, "include": ["reasoning.encrypted_content"]}
    yield create(model="m", input="hello", store=False, stream=True)
    yield create(model="m", input=talk[:6], tools=tools, tool_choice="auto", instructions="Be short.", **more)
    effort: Any = {"effort": "low", "summary": "auto"}
    yield create(model="m", input=talk, tools=tools, reasoning=effort, max_output_tokens=100, **more)


def anthropic(url: str) -> Iterator[Any]:
    import anthropic as sdk

    create = sdk.Anthropic(api_key="k", base_url=url, max_retries=0).messages.create
    tools: Any = [{"name": "look", "description": "Look.", "input_schema": SCHEMA}]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    calls = [{"type": "tool_use", "id": f"toolu_{at}", "name": "look", "input": {"at": at}} for at in "ab"]
    said = {"type": "text", "text": "seen"}
    talk: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": "look"}, image]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, *calls]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_b", "content": "no", "is_error": True},
                {"type": "tool_result", "tool_use_id": "toolu_a", "content": [said]},
            ],
        },
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "and now?"},
    ]
    yield create(model="m", max_tokens=100, messages=talk[:1], stream=True)
    thinking: Any = {"type": "enabled", "budget_tokens": 1024}
    yield create(model="m", max_tokens=2000, messages=talk[:3], tools=tools, thinking=thinking, stream=True)
    yield create(model="m", max_tokens=100, messages=talk, tools=tools, system="Be short.", stream=True)


def gemini(url: str) -> Iterator[Any]:
    from google import genai
    from google.genai import types as t

    options = t.HttpOptions(base_url=url, api_version="v1beta")
    client = genai.Client(api_key="k", http_options=options)
    create = client.models.generate_content_stream
    declared = t.FunctionDeclaration(name="look", description="Look.", parameters_json_schema=SCHEMA)
    tools: Any = [t.Tool(function_declarations=[declared])]
    image = t.Part.from_bytes(data=base64.b64decode(PICTURE), mime_type="image/png")
    calls = [t.Part(function_call=t.FunctionCall(name="look", args={"at": at})) for at in "ab"]
    calls[0].thought_signature = b"\xb2(>"  # sig- in base64
    answers = [t.Part.from_function_response(name="look", response={"result": at}) for at in "ab"]
    talk: list[Any] = [
        t.Content(role="user", parts=[t.Part(text="look"), image]),
        t.Content(role="model", parts=calls),
        t.Content(role="user", parts=answers),
        t.Content(role="model", parts=[t.Part(text="Done.")]),
        t.Content(role="user", parts=[t.Part(text="and now?")]),
    ]
    yield create(model="m", contents="hello")
    off = t.AutomaticFunctionCallingConfig(disable=True)
    thoughts = t.ThinkingConfig(include_thoughts=True)
    made: Any = {"tools": tools, "automatic_function_calling": off, "thinking_config": thoughts}
    yield create(model="m", contents=talk[:3], config=t.GenerateContentConfig(**made))
    made |= {"system_instruction": "Be short.", "max_output_tokens": 100, "temperature": 0.5}
    yield create(model="m", contents=talk, config=t.GenerateContentConfig(**made))


TALKS = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
}

if __name__ == "__main__":
    print(sum(1 for stream in TALKS[sys.argv[1]](sys.argv[2]) if len([*stream]) > 1))
