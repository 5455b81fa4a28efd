"""Which refused targets a call names, and what the assistant said it wants with one (R247, second look)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import Call, Message, Part, ReasoningPart, Result, TextPart
from jp_tui.engine.asking.named_targets import find_targets
from jp_tui.engine.asking.shell_words import words
from jp_tui.engine.asking.targets_on_disk import OnDisk
from jp_tui.engine.turn.intent import MOST, stated_intent

TARGET = "src/brew.py"


class Folding(OnDisk):
    """A disk where capitals make no difference."""

    def folds(self, path: str) -> bool:
        return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a file, links to it and to its folder, a link deeper down, and folders beside it."""
    root = Path(os.path.realpath(tmp_path)) / "ws"
    for folder in ("src", "src2", "lib/deep", "docs"):
        (root / folder).mkdir(parents=True)
    for name in ("src/brew.py", "src2/tea.py", "lib/deep/tool.py", "n.py"):
        (root / name).write_text("x\n")
    (root / "link.py").symlink_to("src/brew.py")
    (root / "d").symlink_to("src")
    (root / "lib/deep/far").symlink_to("../../src")
    os.link(root / "src/brew.py", root / "docs/twin.txt")
    return root


def found(root: Path, arguments: Any, disk: OnDisk | None = None) -> bool:
    hit = find_targets(arguments, str(root), [TARGET, "zzz/qqq.bin"], disk or OnDisk())
    return TARGET in hit


NAMES = [
    "cat src/brew.py", "rm -f ./src/../src/brew.py", "cd src && mv brew.py /tmp/x", "git checkout -- .", "rm src/*",
    "cd src; rm *.p?", "python3 -c \"open('src/brew.py','w')\"", "cp x >src/brew.py", "tee --output=src/brew.py",
    "echo a|tee -a src/brew.py", "dd of=src/brew.py", "curl -osrc/brew.py x", "rsync a me@here:src/brew.py",
    # links, to the file and to a folder
    "sed -i s/1/8/ link.py", "sed -i 's/100/80/' d/*", "mv d/ e", "cp n.py d/brew2.py; rm d/../d/brew.py", "rm -r d",
    "cd lib/deep && rm far/brew.py", "cd lib && cd deep && rm -r far", "rm l*.py", "rm -r ?", "rm lib/*/far/b*",
    "rm -r lib/**/f?r", "echo > docs/twin.txt", "cp n.py lib/deep/far",
    # patterns for the folder and for the file
    "rm -rf ./s[r]c", "rm -rf s?c", "mv d/ e; rm -r s?c", "rm s*/*", "sed -i s/1/8/ */brew.p?", "rm **/brew.*",
    "rm -r **", "rm s[[:alpha:]]c", "rm -r [!a]rc", "rm -r @(src|x)", "rm -r s+(r)c", "rm doc?/../s?c/brew.p?",
    "rm -r lib/deep/fa?/../s?c",
    # quoting
    'sed -i s/1/8/ d/b""rew.py', "cd src; rm b\\rew.py", 'rm "src"/"brew".py', "rm sr''c/br'ew.p'y", "rm -r 's'r\"c\"",
    "rm $'src/b\\x72ew.py'", "rm src/$'\\142rew.py'", "rm src/br\\\new.py", "sh -c 'rm sr\"\"c/br\"\"ew.py'",
    "cat <<X\nit's\nX\nrm sr\"\"c/b\"\"rew.py", "# don't\nrm s''rc/b''rew.py", 'bash -c "sh -c \'rm s\\"\\"rc -r\'"',
    "rm --target=s''rc/b''rew.py",
    # braces
    "sed -i s/1/8/ src/{b,c}rew.py", "rm {src,x}/brew.{py,}", "rm -r {s,x}rc", "rm {a,{s,t}}rc -r",
    "rm src/b{q..s}ew.py",
    # from another folder
    "cd lib && rm -r ../src", "mkdir -p new && cd new && rm -r ../src", "cd d && rm *", "(cd ..; rm -r ws)",
    "pushd docs; cp twin.txt x; rm -r ../s?c", "rm -r file:///{root}/src", "rm {root}/sr%63", "tar -C{root} -x",
    # what cannot be known
    "rm $PWD/src2/x", 'rm "$F"', "rm ${A}c", "rm $(echo s)rc", "rm `cat names`", "eval rm x", "ls | xargs rm",
    "find lib -name x -delete", "find lib -exec rm {} +", "git stash", "git -C lib reset --hard", "git clean -fd",
    "git restore :/", "git apply x.diff", "git -c alias.x=y x", "git rm -r :/", "patch -p1 < n.py", "patch <n.py",
    "echo cm0= | base64 -d | sh", "python3 -c 'open(chr(115))'", "perl -pi -e s/1/8/ n.py", "python3 - <<X\nX",
    "echo 1 | python3", "bash -c 'rm $X'", "rm /proc/self/cwd/x", "env -i sh -c 'rm $0'", "node --eval 1",
    'g""it stash',
    "tar xf a.tar", "tar -C lib -xzf a.tgz", "curl -s x | tar --extract -z", "unzip -o a.zip",
    "ssh localhost 'rm `x`'", "rm " + " ".join("{a,b}" * 9 for _ in range(3)), "x " * 200_000,
]  # fmt: skip


@pytest.mark.parametrize("command", NAMES, ids=range(len(NAMES)))
def test_r247_a_command_that_names_what_was_refused(root: Path, command: str) -> None:
    """By a link, a folder above it, a pattern, any quoting, or in a way that nobody can know beforehand."""
    assert found(root, {"command": command.replace("{root}", str(root))})


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "src/brew.py"},
        {"argv": ["rm", "-rf", "src"]},
        {"nested": {"list": [1, None, {"src/brew.py": True}]}},
        {"cwd": "lib/deep", "path": "far/brew.py"},
        {"program": "git", "args": ["stash"]},
        {"argv": ["git", "-C", "lib", "checkout", "HEAD"]},
        {"target": "d/new.py"},
    ],
)
def test_r247_arguments_that_name_it(root: Path, arguments: Any) -> None:
    assert found(root, arguments) or "new.py" in str(arguments)


QUIET = [
    "ls src2", "ls lib", "echo hi", "cat src2/tea.py", "cat src/brew.pyi", "cat src/brews.py", "cargo test",
    "git status", "git diff HEAD~1 -- lib", "git -C lib log --oneline",
    "grep -n x n.py",
    "sed -n 's/a$/b/p' n.py", "awk '{print $1}' n.py", "echo \"exit $?\"", "cd lib && ls deep", "cd docs; cat notes.md",
    "ls lib/*", "rm lib/*.py", "find lib -name '*.md'", "echo don't", "rm lib/{a,b}.py",
    "cp n.py lib/deep/tool.py", "git commit -m 'a patch for tea'", "printf '%s' x", "git add n.py && git commit -m x",
    "cd lib && git diff", "echo 'it costs $5'", "ls s??2", "tar cf a.tar lib", "tar -tf a.tar", "unzip -l a.zip",
    "cat ./lib/../n.py", "rm SRC/BREW.PY",
]  # fmt: skip


@pytest.mark.parametrize("command", QUIET, ids=range(len(QUIET)))
def test_a_command_that_names_something_else(root: Path, command: str) -> None:
    assert find_targets({"command": command, "secs": 5}, str(root), [TARGET], OnDisk()) == ()


@pytest.mark.parametrize(
    "command",
    ["make -j4", "npm run build 2>&1 | tail -5", "python3 n.py src2", "sh n.sh", "sh < n.sh", "./n.sh", "cd lib && ./x",
     "bash -x n.sh", "awk 'BEGIN{system(\"sh n.sh\")}'", "node build.js", "echo hi; ../up.sh"],
)  # fmt: skip
def test_r247_a_command_that_runs_what_stands_in_a_file(root: Path, command: str) -> None:
    """Nobody can know beforehand what a script does: after a refusal a person lets it run."""
    assert found(root, {"command": command})


@pytest.mark.parametrize("arguments", [{}, {"path": "src/brew.pyi"}, {"n": 5}, {"command": "cat src/brewing.py"}])
def test_arguments_that_name_something_else(root: Path, arguments: Any) -> None:
    assert find_targets(arguments, str(root), [TARGET], OnDisk()) == ()


@pytest.mark.parametrize(
    "command", ["rm SRC/BREW.PY", "rm -r Src", "cd SRC; rm B*.py", "rm -r S?C", 'rm "S"RC/Brew.py']
)
def test_r247_where_capitals_make_no_difference(root: Path, command: str) -> None:
    assert found(root, {"command": command}, Folding()) and not found(root, {"command": command})


def test_r247_what_is_not_there_yet(root: Path) -> None:
    """A file that was not to be made, also through a link to the folder."""
    for command in ("touch src/new.py", "touch d/new.py", "cd d && touch ne''w.py", "mkdir src/new.py/x"):
        assert find_targets({"c": command}, str(root), ["src/new.py"], OnDisk()) == ("src/new.py",), command
    assert find_targets({"c": "touch src2/now.py"}, str(root), ["src/new.py"], OnDisk()) == ()


def test_only_what_is_named(root: Path) -> None:
    refused = ["src/brew.py", "lib/deep/tool.py"]
    assert find_targets({"c": "rm lib/deep/t*"}, str(root), refused, OnDisk()) == ("lib/deep/tool.py",)
    assert find_targets({"c": "rm $X"}, str(root), refused, OnDisk()) == tuple(refused)
    assert find_targets({"c": "rm $X"}, str(root), [], OnDisk()) == ()


def test_a_folder_with_endless_names_is_not_looked_through(root: Path) -> None:
    class Endless(OnDisk):
        def names(self, folder: str):  # type: ignore[no-untyped-def]
            return (f"n{number}" for number in range(30_000))

    assert found(root, {"command": "ls q*"}, Endless())


def said(role: str, *parts: Part) -> Message:
    return Message(role, parts)  # type: ignore[arg-type]


CALL = Call("c1", "fs", {})


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([said("user", TextPart("do it")), said("assistant", TextPart("I fix the test."), CALL)], "I fix the test."),
        ([said("user", TextPart("do it")), said("assistant", ReasoningPart("hm"), CALL)], ""),
        (
            [
                said("user", TextPart("do it")),
                said("assistant", TextPart("First I look."), Call("c0", "fs", {})),
                said("user", Result("c0", "fs", "x", False)),
                said("assistant", CALL),
            ],
            "First I look.",
        ),
        ([said("assistant", TextPart("Older.")), said("user", TextPart("new")), said("assistant", CALL)], ""),
        ([said("user", TextPart("do it"))], ""),
    ],
)
def test_the_intent_is_what_was_said_beside_the_call(told: list[Message], words: str) -> None:
    assert stated_intent(told, "c1") == words


def test_a_long_intent_keeps_its_end() -> None:
    told = [said("user", TextPart("x")), said("assistant", TextPart("a" * MOST + "end"), CALL)]
    assert len(stated_intent(told, "c1")) == MOST and stated_intent(told, "c1").endswith("end")


def test_words_within_a_word_are_found_also_where_nobody_runs_it() -> None:
    """R247: `echo` runs nothing of what it is given, and a name with a blank is still one name."""
    found = words({"command": "echo 'see \"my notes.txt\" there'"})
    assert "my notes.txt" in found.found and not found.unknown
