"""Own commands and skills on the disk: where they are, what counts, and bad files (context.md K50-K52)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.settings.command_files import skill_files, trusting
from jp_tui.settings.command_files.arguments import fill_in
from jp_tui.settings.command_files.frontmatter import FrontmatterProblem, split
from jp_tui.settings.command_files.reading import CommandFiles, CommandPlaces, CommandReader
from jp_tui.system.files import FileProblem


class Places:
    """A home, a workspace, and a reader over them."""

    def __init__(self, tmp_path: Path) -> None:
        self.home, self.workspace = tmp_path / "home", tmp_path / "work"
        self.config = self.home / ".config" / "jp-tui"
        for folder in (self.config, self.workspace):
            folder.mkdir(parents=True)
        store = tmp_path / "data" / "trusted-workspaces"
        store.parent.mkdir()
        places = CommandPlaces(self.config, self.home, self.workspace, store, lambda: frozenset({"compact", "help"}))
        self.reader = CommandReader(places)

    def own(self, path: str, text: str | bytes) -> Path:
        return _written(self.config / path, text)

    def shared(self, path: str, text: str | bytes) -> Path:
        return _written(self.workspace / path, text)

    def read(self) -> CommandFiles:
        return self.reader.read()

    def trust(self) -> None:
        trusting.trust(self.reader, trusting.shared(self.reader))

    def why(self, name: str) -> str:
        found = self.read().command(name)
        assert found is not None and found.state == "broken", found
        return found.why


def _written(file: Path, text: str | bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


@pytest.fixture
def here(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_commands_by_name_and_folder(here: Places) -> None:
    """K50: NAME.md is /NAME, below a folder /folder:NAME; the frontmatter tells what it does."""
    here.own("commands/review.md", "---\ndescription: Review it\nargument-hint: FILE\nmodel: a/b\n---\n\nReview $1.\n")
    here.own("commands/git/tidy.md", "# Tidy up\n\nSort the commits.")
    here.own("commands/notes.txt", "no command")
    here.own("commands/.hidden.md", "no command")
    here.own("commands/.md", "no name")
    review, tidy = (here.read().command(name) for name in ("REVIEW", "git:tidy"))
    assert review is not None and tidy is not None and len(here.read().files) == 2
    assert (review.description, review.hint, review.model, review.text) == ("Review it", "FILE", "a/b", "Review $1.")
    assert (tidy.name, tidy.description, tidy.text) == ("git:tidy", "Tidy up", "# Tidy up\n\nSort the commits.")
    assert review.state == tidy.state == "ready" and review.own


def test_skills_are_folders_with_a_skill_file(here: Places) -> None:
    """K51: in all five places, with or without a name of their own; each is /NAME too."""
    here.own("skills/pdf/SKILL.md", "---\nname: other\ndescription: Fill forms\n---\nDo it.")
    _written(here.home / ".agents/skills/mine/SKILL.md", "Mine.")
    for number, place in enumerate((".jp-tui", ".agents", ".claude")):
        here.shared(f"{place}/skills/s{number}/SKILL.md", "Ours.")
    here.own("skills/empty/README.md", "not a skill")
    here.trust()
    found = here.read()
    assert [one.name for one in found.files] == ["pdf", "mine", "s0", "s1", "s2"]
    assert all(one.kind == "skill" and one.state == "ready" for one in found.files)
    assert [one.name for one in found.skills] == ["pdf", "mine", "s0", "s1", "s2"]
    assert found.command("pdf") is not None and found.skill("other") is None, "the folder's name counts"


def test_built_in_names_win_then_the_users_files(here: Places) -> None:
    """K50: a name belongs to the first: built in, the user's command, the user's skill, the folder's."""
    here.own("commands/compact.md", "mine")
    here.own("commands/twice.md", "the user's command")
    here.own("skills/twice/SKILL.md", "the user's skill")
    here.shared(".jp-tui/commands/twice.md", "the folder's")
    here.shared(".claude/skills/twice/SKILL.md", "the folder's skill")
    here.trust()
    found = here.read()
    assert [one.taken for one in found.files if one.name == "compact"] == ["/compact is built in"]
    twice = found.command("twice")
    assert twice is not None and twice.text == "the user's command"
    assert [one.text for one in found.skills] == ["the user's skill"], "the first skill of a name is the model's"
    assert len(found.unused()) == 4 and not found.wrong()


def test_a_folders_files_count_once_trusted_each_by_content(here: Places) -> None:
    """K52: before that they are known, and not usable; a change ends it, for that file alone."""
    first = here.shared(".claude/commands/first.md", "one")
    here.shared(".claude/commands/second.md", "two")
    here.own("commands/mine.md", "mine")
    assert [one.state for one in here.read().files] == ["ready", "untrusted", "untrusted"]
    here.trust()
    assert [one.state for one in here.read().files] == ["ready", "ready", "ready"]
    first.write_text("other")
    assert [one.state for one in here.read().files] == ["ready", "changed", "ready"]
    first.write_text("one")
    assert here.read().files[1].state == "ready", "exactly the content that was trusted"
    assert trusting.forget(here.reader) and not trusting.forget(here.reader)
    assert [one.state for one in here.read().files] == ["ready", "untrusted", "untrusted"]


def test_revoking_covers_files_that_are_gone(here: Places) -> None:
    """K52: a file that comes back with a checkout isn't trusted then."""
    file = here.shared(".claude/commands/first.md", "one")
    here.trust()
    file.unlink()
    assert trusting.forget(here.reader)
    file.write_text("one")
    assert here.read().files[0].state == "untrusted"


def test_what_trust_would_cover_is_listed_with_its_text(here: Places) -> None:
    """K52: every command and every file of a skill, with what it was when it was trusted."""
    file = here.shared(".claude/commands/first.md", "one")
    here.shared(".claude/skills/pdf/SKILL.md", "Do it.")
    here.shared(".claude/skills/pdf/forms.md", "Forms.")
    here.shared(".claude/skills/pdf/bin.dat", b"\xff\xfe\0")
    before = trusting.shared(here.reader)
    assert [one.name for one in before] == ["/first", "skill pdf", "skill pdf: bin.dat", "skill pdf: forms.md"]
    assert [one.text for one in before][:2] == ["one", "Do it."] and "not text, 3 bytes" in before[2].text
    assert {one.change for one in before} == {"new"}
    here.trust()
    file.write_text("other")
    after = trusting.shared(here.reader)
    assert (after[0].change, after[0].before, after[0].text) == ("changed", "one", "other")
    assert {one.change for one in after[1:]} == {"same"}
    assert trusting.digest(after) != trusting.digest(before)


def test_a_file_of_a_skill_is_confined_to_its_folder(here: Places) -> None:
    """K51: `..`, absolute paths and links out of it are refused; a large one as well."""
    here.own("skills/pdf/SKILL.md", "Do it.")
    here.own("skills/pdf/docs/forms.md", "Forms.")
    here.own("skills/pdf/large.md", b"x" * (skill_files.MOST_BYTES + 1))
    here.own("skills/secret.md", "outside")
    os.symlink("../secret.md", here.config / "skills/pdf/link.md")
    os.mkfifo(here.config / "skills/pdf/pipe.md")
    one = here.read().skill("pdf")
    assert one is not None and skill_files.listed(one) == ["docs/forms.md", "large.md"]
    assert skill_files.read(one, "docs/forms.md").data == b"Forms."
    for path in ("../secret.md", "link.md", "/etc/passwd", "pipe.md", "large.md", "docs", "", "docs/../../secret.md"):
        with pytest.raises(FileProblem):
            skill_files.read(one, path)


def test_bad_files_are_named_and_stop_nothing(here: Places) -> None:
    """The issue's bad input: too large, not text, a pipe, a link out of the folder, empty, an odd name."""
    here.own("commands/large.md", b"x" * 10_000_000)
    here.own("commands/binary.md", b"\x89PNG\0\xff")
    here.own("commands/nul.md", b"a\0b")
    here.own("commands/empty.md", "---\ndescription: nothing\n---\n \n")
    here.own("commands/odd name.md", "text")
    os.mkfifo(here.config / "commands/pipe.md")
    outside = _written(here.home.parent / "outside.md", "text")
    os.symlink(outside, here.config / "commands/link.md")
    os.symlink("fine.md", here.config / "commands/inside.md")
    here.own("commands/fine.md", "text")
    found = here.read()
    assert here.why("large") == "is larger than 64 KiB"
    assert here.why("binary") == here.why("nul") == "is not text"
    assert here.why("empty") == "is empty"
    assert "letters, digits" in here.why("odd name")
    assert found.command("link") is not None and found.command("link").state == "broken"  # type: ignore[union-attr]
    assert found.command("pipe") is None, "a pipe is never opened"
    assert found.command("fine") is not None and found.command("fine").state == "ready"  # type: ignore[union-attr]
    assert len(found.wrong()) == 6 and all(problem.file for problem in found.wrong())
    assert [one.name for one in found.files if one.state == "ready"] == ["fine"], "one file by two names stands once"


def test_a_link_out_of_the_workspace_is_not_followed(here: Places, tmp_path: Path) -> None:
    """K52: neither a file nor a whole folder."""
    outside = tmp_path / "outside"
    _written(outside / "evil.md", "text")
    (here.workspace / ".claude").mkdir()
    os.symlink(outside, here.workspace / ".claude/commands")
    (here.workspace / ".jp-tui/commands").mkdir(parents=True)
    os.symlink(outside / "evil.md", here.workspace / ".jp-tui/commands/evil.md")
    found = here.read()
    assert [one.state for one in found.files] == ["broken"]
    assert any(problem.file.endswith(".claude/commands") for problem in found.problems)


def test_many_files_are_bounded(here: Places) -> None:
    """Only the first 200 of a folder are read, and that is said."""
    for number in range(230):
        here.own(f"commands/c{number:03}.md", "text")
    found = here.read()
    assert len(found.files) == 200 and "only the first 200" in found.problems[0].message


def test_a_hidden_file_stays_hidden(here: Places) -> None:
    """AR41: what an ignore list hides isn't read."""
    here.shared(".claude/commands/hidden.md", "text")
    places = CommandPlaces(
        here.config, here.home, here.workspace, here.reader.places.store, hides=lambda: lambda path: ".jpignore:1"
    )
    assert all(one.state == "broken" for one in CommandReader(places).read().files)


# --- frontmatter ----------------------------------------------------------------------------------------------


def test_frontmatter_of_other_agents(here: Places) -> None:
    """K50: unknown keys count for nothing, `allowed-tools` among them; values that YAML reads otherwise are text."""
    text = (
        "---\r\nallowed-tools: Bash(git: *), Write\r\nargument-hint: [pr-number] [priority]\r\n"
        "description: Use when: a PR is open\r\nmodel: inherit\r\nhooks: {a: [b]}\r\n---\r\nbody\r\n"
    )
    here.own("commands/pr.md", text)
    one = here.read().command("pr")
    assert one is not None and one.state == "ready", one
    assert (one.hint, one.description, one.model, one.text) == (
        "[pr-number] [priority]", "Use when: a PR is open", "", "body",
    )  # fmt: skip
    table, _ = split("---\nargument-hint: [message]\ndescription: >\n  two\n  lines\n---\nx")
    assert table == {"argument-hint": "[message]", "description": "two lines"}
    assert split("no frontmatter\n---\n") == ({}, "no frontmatter\n---\n")
    assert split("---\n---\nx") == ({}, "x")


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ("a: &a [x]\nb: *a", "anchors and aliases aren't allowed"),
        ("a: &a x", "anchors and aliases aren't allowed"),
        ("a: &a [&b [x], *b]\nc: *a", "anchors and aliases aren't allowed"),
        ("a: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("a: [", "expected the node content"),
        ("- a\n- b", "isn't a table"),
        ("just text", "isn't a table"),
        ("a: " + "[" * 5000, "isn't valid YAML|too deeply"),
        ("description: " + "9" * 5000, "isn't valid YAML"),
        ("when: 2024-99-99", "isn't valid YAML"),
        ("x: y\n" * 3000, "doesn't end within 8 KiB"),
        ("? [a]\n: b", "isn't valid YAML"),
    ],
    ids=lambda value: str(value)[:20].replace("\n", " "),
)
def test_bad_frontmatter_is_a_problem_with_its_line(head: str, says: str) -> None:
    """K50: no anchors, no tags of Python, 8 KiB; whatever PyYAML raises."""
    with pytest.raises(FrontmatterProblem, match=says) as found:
        split(f"---\n{head}\n---\nbody")
    assert found.value.line >= 1


def test_frontmatter_without_an_end_is_a_problem() -> None:
    with pytest.raises(FrontmatterProblem, match="doesn't end"):
        split("---\ndescription: x\nbody")


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_named(data: bytes) -> None:
    """No file makes reading fail."""
    from jp_tui.settings.command_files.reading import _parsed

    found = _parsed(b"---\n" + data)
    assert found.why or found.text


def test_frontmatter_is_the_only_reason_to_load_yaml(here: Places) -> None:
    """context.md, section 6: no YAML for files without frontmatter."""
    import subprocess

    here.own("commands/plain.md", "text")
    code = (
        "import sys; from pathlib import Path; from jp_tui.settings.command_files.reading import *\n"
        f"r = CommandReader(CommandPlaces(Path({str(here.config)!r}), None, Path('/'), Path('/nowhere')))\n"
        "assert [one.name for one in r.read().files] == ['plain'] and 'yaml' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "arguments", "sent"),
    [
        ("Fix $1 in $2.", "bug 'src/my file.py' rest", "Fix bug in src/my file.py."),
        ("All: $ARGUMENTS.", "don't  split", "All: don't  split."),
        ("$1 of $ARGUMENTS", "a b", "a of a b"),
        ("$1$2$3", "a", "a"),
        ("Costs $100, $10 and ${1}", "a", "Costs $100, $10 and ${1}\n\nArguments: a"),
        ("$ARGUMENTS_X", "", "$ARGUMENTS_X"),
        ("No place", "a b", "No place\n\nArguments: a b"),
        ("No place", "", "No place"),
        ("$1", "'$2 $ARGUMENTS'", "$2 $ARGUMENTS"),
        ("Run !`rm -rf /` and $1", "x", "Run !`rm -rf /` and x"),
    ],
)
def test_arguments_are_filled_in_once(text: str, arguments: str, sent: str) -> None:
    """K50: $1 to $9 by shell quoting, $ARGUMENTS as typed; `!` lines stay text."""
    assert fill_in(text, arguments) == sent


def test_an_open_quotation_mark_is_refused() -> None:
    with pytest.raises(ValueError, match="quotation mark without its end"):
        fill_in("$1", "don't")
