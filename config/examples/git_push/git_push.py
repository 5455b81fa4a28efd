#!/usr/bin/env python3
"""A local tool for jp-tui: push a branch, after a person has seen what would be pushed.

It reads its values as JSON from stdin, prints one JSON object and ends. Run without an answer it asks; run again with
the answer it acts. Before the yes it only reads, with commands of git that start no program a repository could name.
What is pushed is the very commit that was shown, never with force.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from typing import Any

LISTED = 50


class Problem(Exception):
    """Why nothing was pushed, for the model."""


def main() -> None:
    tool = json.loads(sys.stdin.buffer.read())
    try:
        say(work(tool))
    except Problem as problem:
        say({"type": "error", "message": str(problem), "trace": [], "transient": False})


def work(tool: dict[str, Any]) -> dict[str, Any]:
    remote = tool["options"].get("remote", "origin")
    branch = tool["arguments"].get("branch") or git("symbolic-ref", "--short", "HEAD", why="No branch is checked out.")
    full = f"refs/heads/{branch}"
    git("check-ref-format", full, why=f"{branch!r} cannot be the name of a branch.")
    commit = git("rev-parse", "--verify", "--quiet", f"{full}^{{commit}}", why=f"There is no branch {branch!r} here.")
    urls = git("remote", "get-url", "--push", "--all", "--", remote, why=f"There is no remote {remote!r}.").splitlines()
    known = ask_git("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}/{branch}").stdout.strip()
    if known == commit:
        return {"type": "success", "content": f"Nothing to push: {remote} has everything of {branch} already."}
    if known and ask_git("merge-base", "--is-ancestor", known, commit).returncode != 0:
        raise Problem(f"{remote}/{branch} has commits that are not in {branch}. Fetch and merge them first.")

    question = {
        "id": "push",
        "text": f"Push {branch} to {remote}?",
        "context": context(commit, known, remote, branch, urls),
        "answer_type": {"type": "boolean"},
        "default": False,
        "exclusive": True,  # no model answers this
        "persistence": "none",  # and no earlier answer does
    }
    # An answer counts for exactly the question it was given to. If a commit was added meanwhile, this is another one.
    if tool["digests"].get("push") != digest(question):
        return {"type": "needs_input", "question": question}
    if tool["answers"].get("push") is not True:
        raise Problem("The user decided not to push. Do not try again unless you are asked to.")

    done = ask_git("push", "--porcelain", "--", remote, f"{commit}:{full}")
    if done.returncode != 0:
        raise Problem(f"git push failed:\n{without_passwords(done.stdout + done.stderr)}".strip())
    return {"type": "success", "content": f"Pushed {branch} ({commit[:12]}) to {remote}."}


def context(commit: str, known: str, remote: str, branch: str, urls: list[str]) -> str:
    """Where the commits go and which they are; the newest first."""
    new = [commit, f"^{known}"] if known else [commit, "--not", f"--remotes={remote}"]
    count = int(git("rev-list", "--count", *new))
    listed = git("rev-list", f"--max-count={LISTED}", "--format=%h %an: %s", *new).splitlines()
    lines = [f"    {line}" for line in listed if not re.fullmatch(r"commit [0-9a-f]{40,64}", line)]
    if count > LISTED:
        lines.append(f"    … and {count - LISTED} more")
    to = "\n".join(f"    {without_passwords(url)}" for url in urls)
    about = "" if known else f"\n{remote} has no branch {branch} yet, as far as is known here.\n"
    commits = "1 commit" if count == 1 else f"{count} commits"
    return f"{commits} up to {commit}:\n\n" + "\n".join(lines) + f"\n{about}\nto\n\n{to}"


def without_passwords(text: str) -> str:
    """Addresses without the user and the password that may stand in them."""
    return re.sub(r"//[^/@\s]*@", "//", text)


def digest(question: dict[str, Any]) -> str:
    """SHA-256 of what is shown: text, context and answer type as compact JSON, in this order."""
    shown = {key: question[key] for key in ("text", "context", "answer_type")}
    return hashlib.sha256(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def git(*arguments: str, why: str = "") -> str:
    """What git says, without the last line end; Problem when it fails."""
    done = ask_git(*arguments)
    if done.returncode != 0:
        raise Problem(why or f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def ask_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise Problem(f"git cannot be run: {error.strerror}") from None


def say(outcome: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(outcome, ensure_ascii=False).encode() + b"\n")


if __name__ == "__main__":
    main()
