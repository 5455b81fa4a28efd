"""The workspace's files for mentions: listed concurrently, cached, and refreshed.

With git: tracked files and untracked ones that aren't ignored. Otherwise a walk that reads each `.gitignore`. Nothing
outside the workspace, no links followed, no undecodable names.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from jp_tui.engine.desks.file_match import SLICE, Matcher
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.composing import FilesFound, FindFiles
from jp_tui.system.files import FileProblem, Root
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem, IgnoreText
from jp_tui.tools.files.git import listed

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST = 200_000
"""Files that are listed."""
FRESH = 5.0
"""Seconds for which a list is current; an older one still serves while it is refreshed."""
EARLY = 8
"""Slices after which the best so far are shown."""


def desk(context: DeskContext) -> Desk:
    """Serves one list, of the engine's workspace."""
    files = _Files(context)
    return Desk(beside={FindFiles: files.find}, close=files.close)


class _Files:
    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._matcher: Matcher | None = None
        self._cut = False
        self._read = float("-inf")
        self._reading: asyncio.Task[None] | None = None
        self._newest: FindFiles | None = None

    async def find(self, command: FindFiles) -> None:
        self._newest = command
        server, colon, _ = command.query.partition(":")
        if colon and server in self._servers:
            await self._resources(command, server)
            return
        old = self._context.setup.monotonic() - self._read > FRESH
        if old and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._again())
        if self._matcher is not None:
            await self._answer(command)
        elif self._reading is not None:
            await asyncio.wait([self._reading])

    @property
    def _servers(self) -> Sequence[str]:
        content = self._context.setup.server_content
        return content.names() if content is not None else ()

    async def _resources(self, asked: FindFiles, server: str) -> None:
        """Answer with the resources that an MCP server lists (mcp.md P48). Naming it starts it."""
        content = self._context.setup.server_content
        assert content is not None
        self._context.publish(FilesFound(revision=asked.revision, server=server, done=False))
        told = FilesFound(revision=asked.revision, server=server)
        try:
            found = [f"{server}:{one}" for one in await content.resources(server)]
        except ValueError as problem:
            told = told.model_copy(update={"problem": str(problem)})
        else:
            best = tuple(one for one in found if _is_text(one) and _in_order(asked.query, one))[: asked.limit]
            told = told.model_copy(update={"paths": best, "total": len(found)})
        if self._newest is asked:
            self._context.publish(told)

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _again(self) -> None:
        """Refresh the list, and answer the last query again."""
        problem = ""
        try:
            self._matcher, self._cut = await self._listed()
        except (FileProblem, IgnoreProblem) as trouble:
            problem = str(trouble)
        self._read = self._context.setup.monotonic()
        if (asked := self._newest) is None:
            return
        if self._matcher is None:
            self._context.publish(FilesFound(revision=asked.revision, problem=problem or "there is no file list"))
        else:
            await self._answer(asked)

    async def _answer(self, asked: FindFiles) -> None:
        """Answer in slices, so that tokens and other commands continue between them."""
        matcher, best = self._matcher, tuple[str, ...]()
        assert matcher is not None
        for step, best in enumerate(matcher.search(asked.query, asked.limit)):
            if self._newest is not asked:
                return
            if step == EARLY:
                self._tell(asked, matcher, best, done=False)
            await asyncio.sleep(0)
        self._tell(asked, matcher, best, done=True)

    def _tell(self, asked: FindFiles, matcher: Matcher, paths: tuple[str, ...], *, done: bool) -> None:
        total = len(matcher.paths)
        if asked.query:
            paths = (*(f"{one}:" for one in self._servers if one.startswith(asked.query.casefold())), *paths)
        found = FilesFound(revision=asked.revision, paths=paths, total=total, cut=self._cut, done=done)
        self._context.publish(found)

    async def _listed(self) -> tuple[Matcher, bool]:
        """Return files and their folders, and True if there are more."""
        root = self._context.setup.workspace
        known = await listed(root, ".")
        hidden = _hidden(self._context.setup.ignored(root))
        names = _of_git(known) if known is not None else _walked(Root(root, hidden=hidden))
        paths: list[str] = []
        lows: list[str] = []
        folders: set[str] = set()
        async for path in _in_slices(names):
            if len(paths) >= MOST:
                return Matcher(paths, lows), True
            if not _is_text(path) or (hidden is not None and hidden(path, False)):
                continue
            for folder in _folders(path):
                if folder in folders:
                    break
                folders.add(folder)
                paths.append(folder)
                lows.append(folder.casefold())
            paths.append(path)
            lows.append(path.casefold())
        return Matcher(paths, lows), False


def _in_order(letters: str, text: str) -> bool:
    """Return whether the letters are in the text in this order."""
    rest = iter(text.casefold())
    return all(letter in rest for letter in letters.casefold())


def _hidden(ignored: Sequence[IgnoreText]) -> Callable[[str, bool], str] | None:
    """Return why a path is hidden; None if no list hides anything."""
    lists = IgnoreLists(ignored)
    return lists.hidden if lists else None


async def _in_slices(names: Iterator[str]) -> AsyncIterator[str]:
    for number, name in enumerate(names):
        if number % SLICE == SLICE - 1:
            await asyncio.sleep(0)
        yield name


def _is_text(path: str) -> bool:
    if not path.isascii():
        try:
            path.encode()
        except UnicodeEncodeError:  # not UTF-8: it can't be typed in a message
            return False
    return True


def _folders(path: str) -> Iterator[str]:
    """Iterate over its parents, innermost first, with a slash."""
    at = path.rfind("/")
    while at > 0:
        yield path[: at + 1]
        at = path.rfind("/", 0, at)


def _of_git(known: str) -> Iterator[str]:
    """Iterate over the paths, each once, without deleted ones."""
    gone = {entry[2:] for entry in known.split("\0") if entry.startswith("R ")}
    seen = gone
    for entry in known.split("\0"):
        path = entry[2:]
        if path and path not in seen:
            seen.add(path)
            yield path.rstrip("/")


def _walked(root: Root) -> Iterator[str]:
    """Iterate over files that no `.gitignore` on the way excludes. Raises FileProblem if the folder doesn't exist."""
    from pathspec import GitIgnoreSpec

    rules: dict[str, GitIgnoreSpec | None] = {}

    def rule(folder: str) -> GitIgnoreSpec | None:
        if folder not in rules:
            rules[folder] = None
            with suppress(FileProblem, ValueError):
                text = root.read(f"{folder}.gitignore", 1 << 16).data.decode("utf-8", "replace")
                rules[folder] = GitIgnoreSpec.from_lines(text.splitlines())
        return rules[folder]

    def skip(path: str, is_folder: bool) -> bool:
        if path.rpartition("/")[2] == ".git":
            return True
        for folder in (*_folders(path), ""):  # the innermost match decides
            spec = rule(folder)
            said = None if spec is None else spec.check_file(path[len(folder) :] + "/" * is_folder).include
            if said is not None:
                return said
        return False

    with root:
        for entry in root.walk(skip=skip, limit=MOST):
            if entry.kind != "folder":
                yield entry.path
