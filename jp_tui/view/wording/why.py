"""Reason why the user was asked, or wasn't: the rule behind a line of the trail (asking.md E42; key w).

The rule's text is in the recorded question (`metadata.why`, `metadata.row`); for an older log without it, the kind of
responder is used. Never guesses a rule.
"""

from __future__ import annotations

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.view.questions.inquiry import InquiryView

_NOT_ASKED = {
    "assistant": "Your settings send this question to a reviewer.",
    "static": "A setting pins this answer.",
    "remembered": "You gave this answer for every such question earlier in this turn.",
    "default": "No user was available, so the policy uses the default.",
    "policy": "No user was available, so the policy decides.",
}
_TAGS = {
    "no_prompt_backend": "No user was available.",
    "assistant_routing_denied": "Your settings send this to a reviewer, but only the user may answer it.",
    "invalid_static_answer": "A setting pins an answer that doesn't fit the question.",
    "invalid_approvals": "A setting wants approvals of several people, and the question isn't a yes or no.",
    "backend_error": "Your settings send this question to a reviewer.",
}
_ASKED = "No remembered answer, setting or reviewer covers this question."


def why(asked: InquiryView) -> Foreign:
    """Return one line: `why you were asked: …` or `why you were not asked: …`, with the rule's row if known."""
    default = _NOT_ASKED.get(asked.by) or (_TAGS.get(asked.tag.raw, "") if asked.how == "cancelled" else "")
    if asked.how == "deferred" or (asked.how == "redacted" and asked.row == "2"):
        default = _NOT_ASKED["static" if asked.how == "redacted" else "policy"]
    elif asked.how == "open" and asked.reviewer:
        default = _NOT_ASKED["assistant"]
    head = "Why you weren't asked" if default else "Why you were asked"
    words = first_line(asked.why.raw) or default or _ASKED
    row = f" (rule {asked.row})" if asked.row else ""
    return Foreign(f"{head}: {words}{row}")
