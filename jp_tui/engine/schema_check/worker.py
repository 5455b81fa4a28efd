"""Main module of the child that `process.py` starts: jobs on stdin, one reply each on stdout (traps.md T15, T16).

It limits its own memory and time as well, so that it can't outlive a killed parent. No access to network and files: the
registry of schemas is empty. The program itself never imports it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, extend, validator_for
from referencing import Registry

from jp_tui.engine.schema_check.formats import FORMATS, multiple_of
from jp_tui.engine.schema_check.messages import pointer_of, words
from jp_tui.engine.schema_check.usability import unusable

_MEMORY = 256 << 20
_MOST = 50
_MUCH = "it needs too much memory to check"
_DEEP = "it is too deep to check"


def main(seconds: float) -> None:
    """Reply until the end of the input. A job that takes more CPU time ends the process, even inside a pattern."""
    with contextlib.suppress(OSError, ValueError):  # a system without this limit has others
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(10_000)  # 64 levels of a schema need many more levels of calls
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    read = sys.stdin.buffer
    _send({"ready": True})
    while line := read.readline():
        job = json.loads(read.read(int(line)))
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answer = _answer(job)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _send(answer)


def _answer(job: dict[str, str]) -> dict[str, Any]:
    try:
        validator, why = _prepared(job["schema"])
        if job["do"] == "usable":
            return {"unusable": why}
        if validator is None:
            return {"problems": [["", f"it cannot be checked: {why}"]]}
        value = json.loads(job["value"])
        found = [[pointer_of(error), words(error)] for error in islice(validator.iter_errors(value), _MOST)]
        return {"problems": sorted(found)}
    except MemoryError:
        return _trouble(job, _MUCH)
    except RecursionError:
        return _trouble(job, _DEEP)
    except Exception as error:  # a keyword with a nonsensical value; a missing verdict is never positive
        return _trouble(job, f"it cannot be checked against this schema ({type(error).__name__})")


def _trouble(job: dict[str, str], why: str) -> dict[str, Any]:
    return {"unusable": why} if job["do"] == "usable" else {"problems": [["", why]]}


@lru_cache(maxsize=32)
def _prepared(source: str) -> tuple[Validator | None, str | None]:
    """Return a prepared schema, or why it can't be used; cached, because the same one is checked at every key press."""
    schema = json.loads(source)
    draft = validator_for(schema, default=Draft202012Validator)
    why = unusable(schema, draft)
    if why is not None:
        return None, why
    made: Any = extend
    ours = made(draft, {"multipleOf": multiple_of})
    empty: Registry[Any] = Registry()
    return ours(schema, registry=empty, format_checker=FORMATS), None


def _send(value: dict[str, Any]) -> None:
    made = json.dumps(value).encode()
    left = memoryview(b"%d\n%s" % (len(made), made))
    while left:
        left = left[os.write(1, left) :]
