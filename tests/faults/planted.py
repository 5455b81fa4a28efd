"""Part `secrets` of `python -m tests.faults`: twenty planted secrets, and everything that jp-tui writes, shows or sends
looked through for them.

A secret may be where it is meant to go (a key with its own server, an answer with its tool) and nowhere else: not in
the environment of a child, not in the store, drafts, state, exports, reports, titles, the words of any command, nor in
a request to another origin. What a plant looks like when it is encoded counts as well.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.faults.report import Found


@dataclass(frozen=True)
class Plant:
    """`value` is what must not be found; `text` is how it stands where it is planted; `goes` are places it may be."""

    name: str
    value: str
    text: str = ""
    goes: tuple[str, ...] = ()

    @property
    def planted(self) -> str:
        return self.text.format(self.value) if self.text else self.value


def _plain(number: int) -> str:
    """No shape that a pattern knows, one for each plant."""
    return f"plant{number:02}-Vq7tJ9wB2x"


OWN = "own server"
"""What the server that a key belongs to is sent."""
KEY = Plant("key of the provider", "sk plant01/Vq+7tJ9=".replace(" ", "-"), goes=(OWN,))
HEADER = Plant("header in the configuration", _plain(2), goes=(OWN,))
ENVIRONMENT: Mapping[str, Plant] = {
    "PROBE_AUTH": KEY,
    "OPENAI_API_KEY": Plant("key of another provider", _plain(3)),
    "ANTHROPIC_API_KEY": Plant("key of a third provider", _plain(4)),
    "GITHUB_TOKEN": Plant("token of another program", _plain(5)),
    "AWS_SECRET_ACCESS_KEY": Plant("cloud key", "plant06/Vq7tJ9wB2x+Zp"),
    "DB_PASSWORD": Plant("password with odd characters", 'plant07 "Vq7\\tJ9'),
    "DATABASE_URL": Plant("password in an address", _plain(8), "postgres://ada:{}@db.invalid/x"),
    "ALERT_HOOK": Plant("secret path of a hook", _plain(9), "https://hooks.invalid/services/T01/{}"),
    "HTTPS_PROXY": Plant("password of a proxy", _plain(10), "http://ada:{}@127.0.0.1:9"),
    "npm_config__authToken": Plant("token of a package manager", _plain(11)),
    "SESSION": Plant("value of a variable without a telling name", _plain(12)),
}
OPTION = Plant("option of a tool", _plain(13))
STATIC = Plant("static answer in the configuration", _plain(14), goes=("jp-tui tools --json",))
LITERAL = Plant("key that stands in the configuration", _plain(15))
QUERY = Plant("token in an address in the configuration", _plain(16))
TYPED = Plant("answer that was typed", _plain(17))
ODD = Plant("answer with quotes and umlauts", "plant18 \"ä\\Vq7' tJ9")
LATER = Plant("answer that the tool's error repeats", _plain(19))
LOCATION = Plant("token in a redirect", _plain(20))
PLANTS = (*ENVIRONMENT.values(), HEADER, OPTION, STATIC, LITERAL, QUERY, TYPED, ODD, LATER, LOCATION)


def forms(value: str) -> set[bytes]:
    """The value and what it is when it is encoded."""
    raw = value.encode()
    found = {raw, quote(value, safe="").encode(), quote(value).encode(), repr(value)[1:-1].encode()}
    found |= {json.dumps(value)[1:-1].encode(), json.dumps(value, ensure_ascii=False)[1:-1].encode()}
    return found | {base64.b64encode(raw), base64.urlsafe_b64encode(raw)}


def leaks(evidence: Mapping[str, bytes]) -> Iterator[str]:
    """Each plant that stands where it must not."""
    for plant in PLANTS:
        for place, data in evidence.items():
            if place.partition(":")[0] not in plant.goes and any(form in data for form in forms(plant.value)):
                at = min(data.find(form) for form in forms(plant.value) if form in data)
                around = data[max(0, at - 60) : at + 40].decode("utf-8", "replace").replace(plant.value, "‹it›")
                yield f"{plant.name} in {place}: …{around!r}…"


def tried(whole: bool, seed: int) -> list[Found]:
    """All plants at once; the whole looks at every command of the program."""
    from tests.faults import leaks_crash, leaks_run

    rows = []
    for name, run in (("a conversation and commands", leaks_run.run), ("a crash of each face", leaks_crash.run)):
        with tempfile.TemporaryDirectory() as folder:
            evidence = run(Path(folder), whole=whole)
        row = Found(f"planted secrets: {name}", len(PLANTS), list(leaks(evidence)))
        row.figures = {"places": f"{len(evidence)}", "bytes": f"{sum(map(len, evidence.values())):,}"}
        missing = {place for plant in (KEY, HEADER) for place in plant.goes} - {
            one.partition(":")[0] for one in evidence
        }
        if name.startswith("a conv") and missing:
            row.failed.append(f"nothing was looked at in {missing}")
        rows.append(row)
    return rows
