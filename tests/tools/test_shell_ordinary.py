"""The ordinary direction (Z18): what people do every day works in the sandbox, with the tool chains of this machine.

The home is the user's own, the workspace a new one. What a machine doesn't have is skipped by its name.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.tools.port import ToolCall
from jp_tui.tools.shell_run import ShellRun
from tests.sampling import sampled
from tests.system.sandboxing import elsewhere, or_skip

SHARED: list[ShellRun] = []
WHEEL = """
import zipfile
with zipfile.ZipFile("demo-1-py3-none-any.whl", "w") as file:
    file.writestr("demo.py", "print('demo works')\\n")
    file.writestr("demo-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: demo\\nVersion: 1\\n")
    file.writestr("demo-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    file.writestr("demo-1.dist-info/RECORD", "demo.py,,\\ndemo-1.dist-info/METADATA,,\\ndemo-1.dist-info/WHEEL,,\\n")
"""
C = '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n'
HEREDOC = "cat <<'END' > made.txt\nline one\n$HOME stays\nEND\ncat made.txt"
PYTHON = sys.executable

CLIENT = """
import functools, http.server, threading, urllib.request
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=".")
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/a.txt").read().decode())
    server.shutdown()
"""

COMMANDS: dict[str, tuple[str, str, str]] = {
    # name: program it needs, line, what its output holds
    "git status": ("git", "git status --short --branch", "## main"),
    "git log": ("git", "git log --oneline", "the first commit"),
    "git diff": ("git", "echo more >> a.txt; git diff --stat", "a.txt"),
    "git show": ("git", "git show HEAD:a.txt", "content"),
    "git grep": ("git", "git grep -n content", "a.txt:1:content"),
    "git blame": ("git", "git blame a.txt", "content"),
    "git ls-files": ("git", "git ls-files", "a.txt"),
    "a repository of its own": ("git", "git init -q new && cd new && echo x > f && git add f && git status -s", "A  f"),
    "a clone": ("git", "git clone -q . copy && cat copy/a.txt", "content"),
    "make": ("make", "printf 'all:\\n\\t@echo made $@\\n' > Makefile; make", "made all"),
    "a C compiler": ("gcc", f"cat > m.c <<'E'\n{C}E\ngcc m.c -o m && ./m", "compiled"),
    "make with a compiler": ("gcc", f"cat > n.c <<'E'\n{C}E\nmake n && ./n", "compiled"),
    "python": ("", f"{PYTHON} -c 'import ssl, sqlite3, ctypes; print(6 * 7)'", "42"),
    "python -m venv": (
        "",
        f"{PYTHON} -m venv --without-pip v && v/bin/python -c 'import sys; print(sys.prefix)'",
        "/v",
    ),
    "pip": ("", f"{PYTHON} -m pip --version", "pip "),
    "pip install": (
        "",
        f"{PYTHON} wheel.py && {PYTHON} -m pip install -q --no-index -t t demo-1-*.whl; PYTHONPATH=t {PYTHON} -m demo",
        "demo works",
    ),
    "pytest": (
        "",
        f"echo 'def test_it(tmp_path): (tmp_path / \"x\").touch()' > test_it.py && {PYTHON} -m pytest -q test_it.py",
        "1 passed",
    ),
    "multiprocessing": (
        "",
        f"{PYTHON} -c 'from multiprocessing import Pool\nwith Pool(2) as p: print(sum(p.map(abs, range(5))))'",
        "10",
    ),
    "a server and its client": (
        "",
        f"{PYTHON} client.py",
        "content",
    ),
    "npm": ("npm", "npm --version", "."),
    "npm init": ("npm", "npm init -y >/dev/null && cat package.json", '"version"'),
    "node": ("node", "node -e 'console.log(6 * 7)'", "42"),
    "cargo": ("cargo", "cargo --version", "cargo "),
    "cargo build": (
        "cargo",
        "cargo new -q --vcs none app && cd app && cargo build -q --offline && ./target/debug/app",
        "Hello",
    ),
    "rustc": ("rustc", "rustc --version", "rustc "),
    "go": ("go", "go version", "go version"),
    "java": ("java", "java -version 2>&1", "ersion"),
    "perl": ("perl", "perl -e 'print 6 * 7'", "42"),
    "a here-document": ("", HEREDOC, "$HOME stays"),
    "a pipe": ("", "printf 'b\\na\\n' | sort | head -1", "a"),
    "writing": ("", "echo new > new.txt && echo more >> new.txt && wc -l < new.txt", "2"),
    "sed -i": ("", "sed -i s/content/changed/ a.txt && cat a.txt", "changed"),
    "mktemp": ("", "f=$(mktemp) && echo x > $f && cat $f && d=$(mktemp -d) && touch $d/y && ls $d", "y"),
    "ls ~": ("", "ls -A ~ >/dev/null && echo listed", "listed"),
    "writing at home": (
        "",
        "mkdir -p ~/.cache/x ~/.config/y && echo kept > ~/.config/y/z && cat ~/.config/y/z",
        "kept",
    ),
    "tar": ("tar", "tar czf a.tgz sub && mkdir out && tar xzf a.tgz -C out && ls out/sub", "b.txt"),
    "cp -a": ("", "cp -a sub copy && diff -r sub copy && echo same", "same"),
    "renaming a folder": ("", "mv sub moved && ls moved", "b.txt"),
    "renaming a file over another": ("", "echo n > n && mv n a.txt && cat a.txt", "n"),
    "making and removing folders": ("", "mkdir -p x/y/z && rmdir x/y/z x/y x && echo gone", "gone"),
    "rm -rf": ("", "mkdir -p build/a/b && touch build/a/b/c && rm -rf build && ls", "a.txt"),
    "a symbolic link": ("", "ln -s a.txt l && cat l", "content"),
    "a hard link": ("", "ln a.txt h && cat h", "content"),
    "chmod +x": ("", "printf '#!/bin/sh\\necho runs\\n' > s && chmod +x s && ./s", "runs"),
    "find": ("", "find . -name '*.txt' -newermt 2000-01-01 | sort", "./a.txt"),
    "xargs": ("", "printf 'a\\nb\\n' | xargs -n1 echo got", "got b"),
    "locale": ("", "locale >/dev/null 2>&1 || true; printf 'ä' | wc -c", "2"),
    "date": ("", "TZ=UTC date -d @0 +%Y", "1970"),
    "id": ("", "id -u; whoami || true", str(os.getuid())),
    "df": ("", "df -k . | tail -1 | wc -l", "1"),
    "background jobs": ("", "(sleep 0.1; echo late > late) & wait; cat late", "late"),
    "a pseudo-terminal": ("", f'{PYTHON} -c \'import pty; pty.spawn(["echo", "in a terminal"])\'', "in a terminal"),
    "an awkward name": ("", "mkdir 'a b' && echo x > 'a b/ü\n.txt' && ls -Q 'a b'", ".txt"),
    "/dev": ("", "head -c 4 /dev/urandom | wc -c; echo x > /dev/null; ls /dev/fd/ /dev/stdin", "4"),
    "/proc": ("", "grep -c processor /proc/cpuinfo; cat /proc/self/comm; ls /proc/self/fd", "cat"),
    "bash": ("bash", "bash -c 'diff <(echo a) <(echo a) && echo same; [[ a == a* ]] && echo matches'", "matches"),
    "a fifo": ("", "mkfifo f && (echo through > f &) && cat f", "through"),
    "a lock": ("flock", "flock l echo locked", "locked"),
    "an example of secrets": ("", "cat .env.example", "KEY=example"),
}


@pytest.fixture(scope="module")
def workspace() -> Iterator[Path]:
    or_skip()
    with tempfile.TemporaryDirectory(prefix="jpo-", dir=elsewhere()) as base:
        root = Path(os.path.realpath(base)) / "template"
        (root / "sub").mkdir(parents=True)
        (root / "a.txt").write_text("content\n")
        (root / "sub" / "b.txt").write_text("more\n")
        (root / ".env.example").write_text("KEY=example\n")
        (root / "wheel.py").write_text(WHEEL)
        (root / "client.py").write_text(CLIENT)
        if shutil.which("git"):
            named = ["-c", "user.name=x", "-c", "user.email=x@x.invalid"]
            for words in (
                ["init", "-q", "-b", "main"],
                ["add", "."],
                [*named, "commit", "-q", "-m", "the first commit"],
            ):
                subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
        yield root


@pytest.mark.parametrize("name", sampled(list(COMMANDS), 4))
async def test_an_ordinary_command_works(
    name: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "jp"))
    program, line, holds = COMMANDS[name]
    where = shutil.which(program) if program else ""
    if where is None:
        pytest.skip(f"no {program} here")
    home = pwd.getpwuid(os.getuid()).pw_dir
    if where.startswith(f"{home}/") and os.environ.get("HOME") != home:
        pytest.skip(f"{program} is in a home that HOME doesn't name, so the sandbox doesn't show it")
    root = workspace.with_name("w")
    shutil.copytree(workspace, root, symlinks=True)
    try:
        if not SHARED:
            SHARED.append(ShellRun())
        visible = ["default", sys.prefix, sys.base_prefix]
        options = {"sandbox": {"mode": "required", "visible": visible}}
        done = await SHARED[0].run(ToolCall({"command": line}, root, options=options, leave=True))
    finally:
        shutil.rmtree(root)
    assert isinstance(done, Success) and holds in done.content, done


def test_there_are_enough_of_them() -> None:
    assert len(COMMANDS) >= 40
