"""An agent of the Agent Client Protocol that plays a script: `python agent.py SCRIPT.json`, standard library only.

The script is a list of prompts, each a list of steps, and may end in the middle. A step is a list: its name, then what
it takes. Each message that comes and goes is a line of SCRIPT.json.log.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any


class Player:
    def __init__(self, script: str) -> None:
        with open(script) as file:
            self.given: dict[str, Any] = json.load(file)
        self.log = open(f"{script}.log", "a")  # noqa: SIM115
        self.prompts = list(self.given.get("prompts", []))
        self.session = self.given.get("session", "s-1")
        self.count = self.sent = 0
        if "dies_after" in self.given:
            threading.Timer(self.given["dies_after"], os.kill, (os.getpid(), signal.SIGKILL)).start()
        self.cancelled = False
        self.terminal = ""

    # --- lines ------------------------------------------------------------------------------------------------

    def read(self) -> dict[str, Any]:
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        self.log.write(f"> {line}")
        self.log.flush()
        found: dict[str, Any] = json.loads(line)
        return found

    def send(self, **message: Any) -> None:
        self.sent += 1
        if self.sent > self.given.get("dies_at", self.sent):
            os.kill(os.getpid(), signal.SIGKILL)
        line = json.dumps({"jsonrpc": "2.0", **message})
        self.log.write(f"< {line[:2000]}\n")
        self.log.flush()
        print(line, flush=True)

    def update(self, kind: str, /, **more: Any) -> None:
        self.send(
            method="session/update",
            params={"sessionId": self.session, "update": {"sessionUpdate": kind, **more}},
        )

    # --- the session ------------------------------------------------------------------------------------------

    def run(self) -> None:
        while True:
            message = self.read()
            method, id_ = message.get("method"), message.get("id")
            match method:
                case "initialize":
                    time.sleep(self.given.get("slow", 0))
                    self.send(
                        id=id_,
                        result={
                            "protocolVersion": 1,
                            "agentCapabilities": self.given.get("able", {}),
                            "agentInfo": self.given.get("about"),
                        },
                    )
                case "session/new":
                    self.send(id=id_, result={"sessionId": self.session, **self.given.get("offers", {})})
                    if "commands" in self.given:
                        self.update("available_commands_update", availableCommands=self.given["commands"])
                case "session/set_mode" | "session/set_config_option" | "session/set_model" if "offers" in self.given:
                    self.send(id=id_, result={})
                case "session/load" | "session/resume":
                    self.update("agent_message_chunk", content={"type": "text", "text": "an old word"})
                    self.send(id=id_, result={})
                case "session/prompt":
                    self.cancelled = False
                    steps = self.prompts.pop(0) if self.prompts else [["say", "Nothing."]]
                    for step in steps:
                        getattr(self, f"do_{step[0]}")(*step[1:])
                    self.send(id=id_, result={"stopReason": "cancelled" if self.cancelled else "end_turn"})
                case "session/cancel":
                    pass
                case _ if id_ is not None and method is not None:
                    self.send(id=id_, error={"code": -32601, "message": "no"})

    # --- steps ------------------------------------------------------------------------------------------------

    def do_say(self, text: str) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def do_run(self, words: list[str], environment: dict[str, str]) -> None:
        """Run a program of its own accord; say how it ended."""
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        self.do_say(f"status {done.returncode} {done.stderr}")

    def do_think(self, text: str) -> None:
        self.update("agent_thought_chunk", content={"type": "text", "text": text})

    def do_plan(self, *entries: Any) -> None:
        self.update("plan", entries=[{"content": one, "status": state, "priority": "low"} for one, state in entries])

    def do_call(self, id_: str, kind: str, title: str, status: str, **more: Any) -> None:
        self.update("tool_call", toolCallId=id_, kind=kind, title=title, status=status, **more)

    def do_raw(self, kind: str, fields: dict[str, Any]) -> None:
        self.update(kind, **fields)

    def do_send(self, message: dict[str, Any]) -> None:
        self.send(**message)

    def do_write(self, text: str) -> None:
        print(text, flush=True)

    def do_part(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def do_ask(self, call: dict[str, Any], options: Any = None, then: Any = ()) -> None:
        """Ask for permission; then do what was chosen, with these steps before its end."""
        self.count += 1
        if options is None:
            options = [
                {"optionId": "o", "name": "Allow", "kind": "allow_once"},
                {"optionId": "a", "name": "Always", "kind": "allow_always"},
                {"optionId": "r", "name": "Reject", "kind": "reject_once"},
            ]
        self.send(
            id=self.count,
            method="session/request_permission",
            params={"sessionId": self.session, "toolCall": call, "options": options},
        )
        time.sleep(self.given.get("late", 0))
        while (reply := self.read()).get("id") != self.count or "method" in reply:
            self.cancelled = self.cancelled or reply.get("method") == "session/cancel"
        outcome = reply["result"]["outcome"]
        chosen = outcome.get("optionId", outcome["outcome"])
        yes = chosen in ("o", "a") or chosen.startswith("pick")
        if yes and "do" in self.given:
            with open(self.given["do"], "a") as file:
                file.write(f"{call['toolCallId']}\n")
        for step in then if yes else ():
            getattr(self, f"do_{step[0]}")(*step[1:])
        self.update(
            "tool_call_update",
            toolCallId=call["toolCallId"],
            status="completed" if yes else "failed",
            content=[{"type": "content", "content": {"type": "text", "text": f"chose {chosen}"}}],
        )
        if chosen == "cancelled":
            self.cancelled = True

    def do_request(self, method: str, params: dict[str, Any], wait: bool = True) -> None:
        """Ask the client for something in this session; `$TERM` is the last terminal."""
        self.count += 1
        said = json.loads(json.dumps({"sessionId": self.session, **params}).replace("$TERM", self.terminal))
        mine = f"q{self.count}"
        self.send(id=mine, method=method, params=said)
        while wait:
            reply = self.read()
            self.cancelled = self.cancelled or reply.get("method") == "session/cancel"
            if reply.get("id") == mine and "method" not in reply:
                self.terminal = (reply.get("result") or {}).get("terminalId", self.terminal)
                return

    def do_wait(self, path: str) -> None:
        """Wait for a file."""
        while not os.path.exists(path):
            time.sleep(0.02)

    def do_until_cancel(self) -> None:
        while self.read().get("method") != "session/cancel":
            pass
        self.cancelled = True

    def do_ignore(self) -> None:
        while True:
            time.sleep(60)

    def do_child(self, seconds: int = 600) -> None:
        """Start a child that outlives us, in a session of its own."""
        subprocess.Popen(["sleep", str(seconds)], start_new_session=True)

    def do_die(self) -> None:
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(7)


if __name__ == "__main__":
    Player(sys.argv[1]).run()
