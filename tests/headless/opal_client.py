"""A client written from Opal's contract alone: it knows `session_id`, `question`, `choices` and `answer`, nothing else.

Run as a process of its own: reads a JSON plan from standard input, talks with `jp-tui rpc` as its child, and prints a
JSON report. The plan: `command`, `prompts`, and `answers`, a list of [a part of the question, what to answer]; each is
used once, and a question that none fits is answered with a blank. It imports nothing of the project.
"""

import json
import subprocess
import sys


def main():
    plan = json.load(sys.stdin)
    child = subprocess.Popen(plan["command"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    report = {"asked": [], "said": [], "ended": [], "lines": []}
    answers = list(plan["answers"])

    def send(message):
        child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        child.stdin.flush()

    def answer(question):
        for pair in answers:
            if pair[0] in question:
                answers.remove(pair)
                return pair[1]
        return ""

    def call(number, method, params):
        send({"id": number, "method": method, "params": params})
        for line in child.stdout:
            report["lines"].append(line)
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message["result"]
            if message.get("method") == "client/ask_user":
                params = message["params"]
                asked = {key: params[key] for key in ("session_id", "question", "choices")}
                report["asked"].append(asked)
                send({"id": message["id"], "result": {"answer": answer(asked["question"])}})
            elif message.get("method") == "session/event":
                event = message["params"]["event"]
                if event["type"] == "chat_response" and "message" in event:
                    report["said"].append(event["message"])
        raise SystemExit("the child has ended")

    call(1, "initialize", {})
    session = call(2, "session/new", {})["session_id"]
    for number, prompt in enumerate(plan["prompts"], 3):
        report["ended"].append(call(number, "session/prompt", {"session_id": session, "prompt": prompt}))
    child.stdin.close()
    report["lines"] += list(child.stdout)
    report["status"], report["session"], report["left"] = child.wait(), session, answers
    json.dump(report, sys.stdout)


main()
