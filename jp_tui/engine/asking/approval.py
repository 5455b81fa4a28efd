"""Permission of a call (inquiries.md 5.2), requested before anything of the cycle runs, and to deliver its result
(5.3), whose prompt shows exactly what the model would read. The machine decides."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import first_line
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.base.call_state import CallResult, Deferred, ToolCallState
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.rules.facts import OUTSIDE, call_facts
from jp_tui.tools.port import commands


def shown_digest(text: str) -> str:
    """Return the SHA-256 of what a permission or result prompt shows; a decision is bound to it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def refused(job: ToolCallState, coordinator: Coordinator) -> tuple[str, ...]:
    """Return the targets refused in this turn that the call names and no person permitted (R247).

    Empty for a built-in tool that reports its own changes and asks about them.
    """
    knows = job.setup.kind == "built-in" and not commands(job.tool)
    if knows or not coordinator.ledger.refused:
        return ()
    from jp_tui.engine.asking.named_targets import find_targets
    from jp_tui.engine.asking.targets_on_disk import OnDisk  # rarely needed, and not at start-up

    found = find_targets(job.arguments, str(job.root), coordinator.ledger.refused, OnDisk())
    return () if job.allowed.issuperset(found) else found


async def permitted(
    job: ToolCallState,
    coordinator: Coordinator,
    floor: tuple[str, ...] = (),
    insists: v.Insists = "",
    why: str = "",
    shown: str = "",
) -> CallResult | None:
    """Request permission; return None if the call may run, with `job.arguments` changed if they were edited (R86-R89).
    `insists` as in PermissionWanted; `shown` is what the prompt shows besides the call. Raises Deferred."""
    mode, call = job.setup.run, job.call
    asked: v.AskMode = "edit" if mode == "edit" else "ask"
    digest = shown_digest(f"{call.name}\n{dump(job.arguments)}{shown}")
    exact, covers = _remembered_for(job)
    policies, place = job.setup.policies, job.setup.run_place
    wanted = v.PermissionWanted(
        call.id,
        call.name,
        asked,
        digest,
        policies.run,
        place,
        floor,
        exact=exact,
        text=first_line(job.title),
        covers=covers,
        insists=insists,
        why=why,
    )
    verdict = await coordinator.ask(wanted)
    match verdict:
        case s.Permit(_, arguments, decision):
            job.permission = decision
            job.allowed |= set(coordinator.ledger.refused)
            if arguments is not None:
                job.edit(arguments)
            return None
        case s.Complete(_, content, is_error, decision):
            job.permission = decision
            return CallResult(content, is_error, "error" if is_error else "skipped")
        case s.Defer():
            raise Deferred
        case _:
            raise AssertionError(f"no answer to a permission prompt: {type(verdict).__name__}")


async def delivered(job: ToolCallState, done: CallResult, coordinator: Coordinator) -> CallResult:
    """Request permission; return the result, unchanged, edited or replaced (R93). Raises Deferred."""
    call = job.call
    asked: v.AskMode = "edit" if job.setup.result == "edit" else "ask"
    digest = shown_digest(f"{done.is_error}\n{done.content}")
    wanted = v.DeliveryWanted(call.id, call.name, asked, digest, job.setup.policies.deliver, job.setup.result_place)
    verdict = await coordinator.ask(wanted)
    match verdict:
        case s.Deliver(_, text, decision):
            job.delivery = decision
            return done if text is None else replace(done, content=text)
        case s.Complete(_, content, is_error, decision):
            job.delivery = decision
            return CallResult(content, is_error, "error" if is_error else "skipped")
        case s.Defer():
            raise Deferred
        case _:
            raise AssertionError(f"no answer to a result prompt: {type(verdict).__name__}")


def _remembered_for(job: ToolCallState) -> tuple[str, str]:
    """Return a digest of what a remembered decision covers until the turn ends, and the same in words (Z16).

    A command: what was shown. A tool of files: the same files. Any other: the same arguments.
    """
    name, arguments = job.call.name, job.arguments
    if commands(job.tool):
        shown = shown_digest("\n".join([name, dump(arguments), job.rendered or ""]))
        return shown, "until this turn ends, exactly this command, folder and sandbox, and no other"
    root = os.path.realpath(job.root)
    facts = call_facts(name, arguments, job.setup.covers, root=root, commands=False, real=os.path.realpath)
    if facts.paths and OUTSIDE not in facts.paths:
        files = shown_digest(dump([name, *sorted(set(facts.paths))]))
        return files, f"until this turn ends, calls of {name} for the same files, and no others"
    return shown_digest(
        f"{name}\n{facts.arguments}"
    ), f"until this turn ends, exactly this call of {name}, and no other"


def forbidden(name: str) -> str:
    """Return the error for a call while tools are off (R78; M58)."""
    return (
        f"Tool '{name}' was not run: tools are turned off for this request. Do not call any tool; answer without them "
        "or explain what is missing."
    )


def unavailable(name: str) -> str:
    """Return M31, without the original's doubled word."""
    return (
        f"Tool '{name}' is not available. It may have been available earlier in this conversation but is no longer "
        "enabled. Do not retry this tool until it is available again in the list of enabled tools."
    )
