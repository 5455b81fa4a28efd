"""Results of tools as the text that the model reads (mcp.md P24). Pure; all of it is a server's text."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from jp_tui.conversation.images import media
from jp_tui.conversation.model import Picture
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse, same

MOST_IMAGES, IMAGE_BYTES = 10, 5 << 20
"""Images of a result that a model gets, and their bytes as base64."""


def result_text(result: Mapping[str, Json], most: int) -> str:
    """Return the text of a result, cut in the middle if it exceeds `most` bytes."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    parts = [block_text(block) for block in blocks if isinstance(block, dict)]
    structured = result.get("structuredContent")
    if structured is not None and not _said(structured, blocks):
        parts.append(dump(structured))
    return cut_middle("\n\n".join(part for part in parts if part), most)


def images(result: Mapping[str, Json]) -> tuple[Picture, ...]:
    """Return the images of a result that models accept, within bounds."""
    content = result.get("content")
    found: list[Picture] = []
    left = IMAGE_BYTES
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") != "image" or len(found) >= MOST_IMAGES:
            continue
        if (made := picture(block, left)) is not None:
            left -= len(made.data)
            found.append(made)
    return tuple(found)


def picture(block: Mapping[str, Json], most: int) -> Picture | None:
    """Return a block's image of at most `most` bytes of base64; None if models don't accept it. Its kind is that of its
    bytes."""
    data = block.get("data")
    if not isinstance(data, str) or len(data) > most:
        return None
    try:
        raw = base64.b64decode(data, validate=True)
    except ValueError:
        return None
    kind = media(raw)
    return Picture(kind, base64.b64encode(raw).decode("ascii")) if kind else None


def block_text(block: Mapping[str, Json]) -> str:
    """Return one block of content as text. Nothing it names is fetched."""
    match block.get("type"):
        case "text":
            return _text(block.get("text"))
        case "image" | "audio" as kind:
            return data_line(_text(block.get("mimeType")) or kind, block.get("data"))
        case "resource_link":
            size = block.get("size")
            told = [_text(block.get("title")) or _text(block.get("name")), _text(block.get("mimeType"))]
            told += [_bytes(size)] if isinstance(size, int) else []
            return f"[{', '.join(one for one in told if one)}: {_text(block.get('uri'))}]"
        case "resource":
            resource = block.get("resource")
            return resource_text(resource) if isinstance(resource, dict) else ""
        case kind:
            return f"[{kind}]"


def resource_text(resource: Mapping[str, Json]) -> str:
    """Return an embedded resource: its text below its address, or a line for anything else."""
    uri = _text(resource.get("uri"))
    if isinstance(text := resource.get("text"), str):
        return f"{uri}\n{text}"
    return f"[{_text(resource.get('mimeType')) or 'binary data'}, {_size(resource.get('blob'))}: {uri}]"


def data_line(kind: str, data: Json) -> str:
    """Return a line in place of data in base64."""
    return f"[{kind}, {_size(data)}]"


def cut_middle(text: str, most: int) -> str:
    """Return at most about `most` bytes: the beginning and the end, with the count of what is missing between."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return text
    half = most // 2
    head, tail = raw[:half].decode("utf-8", "ignore"), raw[len(raw) - half :].decode("utf-8", "ignore")
    return f"{head}\n\n[{len(raw) - 2 * half:,} of {len(raw):,} bytes left out]\n\n{tail}"


def _said(structured: Json, blocks: Sequence[Json]) -> bool:
    """Return whether a text block says the same: as JSON, or as the only text of a result that wraps one."""
    texts = [_text(block.get("text")) for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    if isinstance(structured, dict) and list(structured) == ["result"] and structured["result"] in texts:
        return True
    for text in texts:
        try:
            if same(parse(text), structured):
                return True
        except JsonProblem:
            continue
    return False


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _size(data: Json) -> str:
    if not isinstance(data, str):
        return "no data"
    try:
        return _bytes(len(base64.b64decode(data, validate=False)))
    except ValueError:
        return "unreadable data"


def _bytes(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:.0f} KB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MB"


def structured_problem(tool: str, problems: Sequence[tuple[str, str]]) -> str:
    """Return the error for a result that breaks the server's own schema (P24)."""
    where, reason = problems[0]
    return f"{tool}: the result does not match the server's own output schema at {where or '/'}: {reason}"


def first_text(arguments: JsonObject) -> str:
    """Return the first argument that is a text."""
    return next((one for one in arguments.values() if isinstance(one, str)), "")
