"""A conversation in which every planted secret is used, by the real program with real servers, and what it left
behind: bytes by place. Looks for nothing itself (`planted.py`)."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.fakes.model_server import Answer, ModelServer, in_thread
from tests.faults import planted as p
from tests.faults.terminal import descendants
from tests.headless.rpc_peer import Rpc, prompted, rpc
from tests.headless.running import LIMIT, jp
from tests.hostile.wired import calls, says

SHOW = """\
import os, pathlib, sys, time
print(dict(os.environ), open("/proc/self/environ").read())
folder = pathlib.Path(sys.argv[1])
(folder / "shown").write_text(str(os.getpid()))
until = time.monotonic() + 50
while not (folder / "seen").exists() and time.monotonic() < until:
    time.sleep(0.01)
"""
UNLOCK = """\
import json, sys
answers = json.load(sys.stdin)
for name in ("typed", "static", "odd", "later"):
    if name not in answers:
        kind = {"type": "secret"}
        question = {"id": name, "text": "Say it: " + " ".join(answers.values()), "answer_type": kind}
        print(json.dumps({"type": "needs_input", "question": question}))
        raise SystemExit
told = [*answers.values(), json.dumps(answers), repr(answers)]
print("\\n".join(told), file=sys.stderr)
if sys.argv[1] == "fails":
    print(json.dumps({"type": "error", "message": " ".join(told), "trace": told, "transient": False}))
else:
    print(json.dumps({"type": "success", "content": "\\n".join(told)}))
"""
COMMANDS = (("doctor",), ("conversations", "export", "ID", "--format", "json"), ("models", "probe"))
MORE = (
    ("conversations", "export", "ID", "--format", "html"), ("conversations", "show", "ID"), ("tools", "--json"),
    ("conversations", "export", "ID"), ("inquiries", "--json"), ("config", "check"), ("reviewers",), ("config", "path"),
    ("conversations", "list", "--json"), ("models", "--json"), ("completions", "bash"), ("rpc", "--schema"),
)  # fmt: skip


def configured(folder: Path, own: str, other: str) -> None:
    """The user's configuration with what is planted there, and one of the folder that would lead elsewhere."""
    home, desk = folder / "home" / "config", folder / "desk"
    for one in (home, desk / ".jp-tui"):
        one.mkdir(parents=True)
    (folder / "show.py").write_text(SHOW)
    (folder / "unlock.py").write_text(UNLOCK)
    python = json.dumps(sys.executable)
    tools = "\n".join(
        f"[conversation.tools.{name}]\nsource = 'local'\nrun = 'unattended'\ncommand = {{program = {python}, "
        f"args = ['{folder}/{script}', '{given}'], stdin = '{{{{ tool.answers }}}}'}}\n"
        f"options.token = {json.dumps(p.OPTION.planted)}\n"
        f"questions.static.answer = {json.dumps(p.STATIC.planted)}\n"
        for name, script, given in (
            ("show", "show.py", folder), ("unlock", "unlock.py", "well"), ("unlock_badly", "unlock.py", "fails"),
        )
    )  # fmt: skip
    (home / "config.toml").write_text(
        f"[providers.llm.probe]\nwire = 'openai-chat'\nbase_url = '{own}'\napi_key_env = 'PROBE_AUTH'\n"
        f"headers = {{x-gateway = {json.dumps(p.HEADER.planted)}}}\n{tools}"
    )
    (desk / ".jp-tui" / "config.toml").write_text(f"[providers.llm.probe]\nbase_url = '{other}'\n")


def said(key: str) -> bytes:
    """How a server repeats what it was sent."""
    echo = f"Incorrect API key provided: {key}, {p.quote(key)}, {json.dumps(key)}, header {p.HEADER.planted}"
    return json.dumps({"error": {"message": echo, "type": "invalid_request_error"}}).encode()


def answers(other: str) -> list[Answer]:
    """What the server says to one request after the other."""
    plain, body = {"content-type": "application/json"}, said(p.KEY.planted)
    moved = {"location": f"{other}/v1?token={p.LOCATION.planted}", "content-type": "text/plain"}
    wire: Any = "openai_chat"
    return [
        Answer([calls(wire, [("show", "{}")])]),
        Answer([calls(wire, [("unlock", "{}"), ("unlock_badly", "{}")])]),
        Answer([says(wire, "It is open.")]),
        Answer([body], status=401, headers=plain),
        Answer([b"data: " + body + b"\n\n"]),
        Answer([body], status=200, headers={"content-type": "text/plain"}),
        Answer([b"go there"], status=307, headers=moved),
        Answer([b"go there"], status=302, headers=moved),
    ]


def run(folder: Path, *, whole: bool = False) -> dict[str, bytes]:
    """Everything that was left, by place."""
    found: dict[str, bytes] = {}
    with in_thread(Answer([b"{}"], headers={"content-type": "application/json"})) as other:
        with in_thread(*answers(other.url)) as own:
            configured(folder, own.url, other.url)
            environment = {name: plant.planted for name, plant in p.ENVIRONMENT.items()}
            _talk(folder, environment, found)
            _commands(folder, environment, found, COMMANDS + (MORE if whole else ()))
            found |= _sent("own server", own)
        found |= _sent("another server", other)
        _refused(folder, environment, found, everything=whole)
    for file in (folder / "home").rglob("*"):
        if file.is_file() and file.name != "config.toml":
            found[f"file: {file.relative_to(folder)}"] = file.read_bytes()
    return found


def _sent(name: str, server: ModelServer) -> dict[str, bytes]:
    """Every request that a server got."""
    rows = [f"{one.method} {one.path} {one.headers}".encode() + one.body for one in server.received]
    return {f"{name}: request {number}": row for number, row in enumerate(rows)}


def _talk(folder: Path, environment: dict[str, str], found: dict[str, bytes]) -> None:
    words = ("--workspace", f"{folder}/desk")
    with rpc(folder / "home", *words, **environment) as running:
        running.call("initialize", capabilities=["secret"])
        session = running.session("probe/m")
        turn = prompted(running, session)
        _look_at_children(folder, running, found)
        secrets = {"typed": p.TYPED, "odd": p.ODD, "later": p.LATER}
        for _ in range(2 * len(secrets)):
            asked = running.asked()
            running.answer(asked, answer=secrets[asked["params"]["inquiry"]["question"]["id"]].planted)
        outcomes = [running.reply(turn)]
        outcomes += [running.reply(prompted(running, session, f"again {number}")) for number in range(4)]
        running.ends()
    assert [one["result"]["outcome"] for one in outcomes] == ["done", *["failed"] * 4], outcomes
    found["protocol"] = "\n".join(json.dumps(one, ensure_ascii=False) for one in running.heard).encode()
    found["stderr"] = running.told.encode()


def _look_at_children(folder: Path, running: Rpc, found: dict[str, bytes]) -> None:
    """The environment of every process below ours, while a tool runs."""
    until = time.monotonic() + LIMIT
    while not (folder / "shown").exists():
        assert time.monotonic() < until, "the tool never ran"
        running.process.poll()
        time.sleep(0.01)
    pids = descendants(running.process.pid)
    assert pids, "there is no child to look at"
    for number, pid in enumerate(pids):
        found[f"environment of child {number}"] = Path(f"/proc/{pid}/environ").read_bytes()
        found[f"command line of child {number}"] = Path(f"/proc/{pid}/cmdline").read_bytes()
    (folder / "seen").write_text("")


def _commands(
    folder: Path, environment: dict[str, str], found: dict[str, bytes], commands: tuple[tuple[str, ...], ...]
) -> None:
    (row,) = json.loads(f"[{jp(folder / 'home', 'conversations', 'list', '--json', **environment).stdout}]")
    for words in commands:
        given = [row["id"] if word == "ID" else word for word in words]
        done = jp(folder / "home", *given, **environment)
        found[f"jp-tui {' '.join(words)}"] = f"{done.stdout}\n{done.stderr}".encode()


def _refused(folder: Path, environment: dict[str, str], found: dict[str, bytes], *, everything: bool) -> None:
    """What is said of a configuration that holds what it should not."""
    wrong = (
        f"api_key = {json.dumps(p.LITERAL.planted)}", f"headers.Authorization = {json.dumps(p.LITERAL.planted)}",
        f"headers.x-key = {json.dumps(p.LITERAL.planted + 'ü')}", f"api_key_env = {json.dumps(p.LITERAL.planted)}",
        f"base_url = 'https://host.invalid/v1?token={p.QUERY.planted}'",
        f"base_url = 'https://ada:{p.QUERY.planted}@host.invalid/v1'",
    )  # fmt: skip
    for number, line in enumerate(wrong if everything else wrong[3:5]):
        home = folder / "wrong" / str(number)
        (home / "config").mkdir(parents=True)
        (home / "config" / "config.toml").write_text(f"[providers.llm.probe]\nwire = 'anthropic'\n{line}\n")
        done = jp(home, "config", "check", **environment)
        assert done.returncode, (line, done.stdout)
        found[f"words for {line.partition(' ')[0]} {number}"] = f"{done.stdout}\n{done.stderr}".encode()
