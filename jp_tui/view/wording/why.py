"""Reason why the user was asked, or wasn't: the rule behind a line of the trail (asking.md E42; key w).

The rule's text is in the recorded question (`metadata.why`, `metadata.row`); for an older log without it, the kind of
responder is used. Never guesses a rule.
"""

from __future__ import annotations

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.view.questions.inquiry import InquiryView

_NOT_ASKED = {
    "assistant": "your settings send this question to a reviewing model",
    "static": "a setting pins this answer",
    "remembered": "you gave this answer earlier in this turn, for every such question",
    "default": "nobody was there to ask, and the policy takes the default",
    "policy": "nobody was there to ask, and the policy decides",
}
_TAGS = {
    "no_prompt_backend": "nobody was there to ask",
    "assistant_routing_denied": "only a human may answer this, and your settings send it to a reviewing model",
    "invalid_static_answer": "a setting pins an answer that does not fit the question",
    "backend_error": "your settings send this question to a reviewing model",
}
_ASKED = "this needs an answer, and no setting gives it for you"


def why(asked: InquiryView) -> Foreign:
    """Return one line: `why you were asked: …` or `why you were not asked: …`, with the rule's row if known."""
    default = _NOT_ASKED.get(asked.by) or (_TAGS.get(asked.tag.raw, "") if asked.how == "cancelled" else "")
    if asked.how == "deferred" or (asked.how == "redacted" and asked.row == "2"):
        default = _NOT_ASKED["static" if asked.how == "redacted" else "policy"]
    elif asked.how == "open" and asked.reviewer:
        default = _NOT_ASKED["assistant"]
    head = "why you were not asked" if default else "why you were asked"
    words = first_line(asked.why.raw) or default or _ASKED
    row = f" (rule {asked.row})" if asked.row else ""
    return Foreign(f"{head}: {words}{row}")
