"""The words of a question, the same in every face (inquiries.md M33, M41, M42, M44; asking.md "Keys", "Answers").

Literals only, with named holes for what is not ours: a face fills them through its own gate for foreign text.
The exact ones (M33, M42) are pinned by tests. Says nothing about keys' bindings and nothing about style.
"""

from __future__ import annotations

from typing import Final

# M33, exact; the plain pair where nothing can be remembered.
YES_ONCE: Final = "yes, just this once"
YES_TURN: Final = "yes, and remember for this turn"
NO_ONCE: Final = "no, just this once"
NO_TURN: Final = "no, and remember for this turn"
YES: Final = "yes"
NO: Final = "no"

# M42, exact, and the two that R248 adds.
ANSWER: Final = "Answer"
BACK: Final = "Back"
REPLY: Final = "Reply"
END_TURN: Final = "End Turn"
PROGRESS: Final = "[{n}/{m}]"
CANCEL: Final = "Cancel"
EMPTY: Final = "Empty on purpose"

# What each line of the menu does, and what it would lose (R248).
ANSWER_DOES: Final = "back to the question"
REPLY_DOES: Final = "cancels the question; the model reads your words instead and goes on"
CANCEL_DOES: Final = "ends this tool call without an answer; the turn goes on"
END_TURN_DOES: Final = "stops the whole turn and every tool that still runs"
EMPTY_DOES: Final = "answers with an empty text"
CLOSES: Final = "{n} more waiting {questions} {close} too"
LOSES_TEXT: Final = "what you typed here is not sent"

# Marks beside a choice (E20, E22).
DEFAULT: Final = "default"
RECOMMENDED: Final = "(recommended)"
ELSE: Final = "Something else…"
ELSE_DOES: Final = "a reply in words: none of these is chosen, the model reads what you write"

# Remembering (R113, R236). The engine says what is covered.
COVERS: Final = "Y and N cover: {scope}"
COVERS_UNKNOWN: Final = "Y and N cover: until this turn ends, every such question of {tool}, without showing it"

# What one sees before a key listens, and after it was pressed.
DEAF: Final = "one moment: keys still go to your draft"
SENT: Final = "sent, waiting for the engine"
TOO_SMALL: Final = "too small to review: enlarge the terminal, nothing can be answered here"
WAITING: Final = "{n} waiting"
PLACE: Final = "{n} of {m} waiting"
ASKS: Final = "{who} asks: {question}"

# Why nothing happened.
NOTHING_CHOSEN: Final = "nothing is chosen yet: move to an answer first, or press its key"
YOURS_TO_DECIDE: Final = "this one is yours to decide: press y or n, or move to an answer first"
NOT_WRITTEN: Final = "nothing written. If empty is what you mean: Esc, Esc, “Empty on purpose”"
REPLY_EMPTY: Final = "nothing written yet. Write what the model should know, or Esc to go back"
REPLY_EMPTY_OK: Final = "nothing written. Enter once more hands back to the model without words"
NO_MATCH: Final = "no option matches"
CHANGES: Final = "+{added} −{removed}"
HUNKS: Final = "{n} hunks"
UNSEEN: Final = "{n} of {m} lines not seen"
WERE_UNSEEN: Final = "{n} of {m} lines were not on the screen"
SAME_AGAIN: Final = "Once more, if you mean it"
REFUSED: Final = "not taken: {reason}"
GONE: Final = "The question of {who} is gone: {reason}"
SETTLED_ELSEWHERE: Final = "The question of {who} no longer waits: it was settled elsewhere."
EDITOR_FAILED: Final = "the editor did not give a text back: {reason}"

# Fields.
REPLY_HINT: Final = "Reply in words…"
TEXT_HINT: Final = "Your answer…"
FILTER_HINT: Final = "filter…"
REPLY_TITLE: Final = "Reply in words: the question is cancelled, the model reads this and goes on"
EMPTY_OPTION: Final = "(empty)"
BLANK_OPTION: Final = "(only blanks)"
FOUND: Final = "▲ found in this question: {kinds}"
CUT: Final = "… {n} more characters"
WHY: Final = "why you are asked: {why}"
NO_WHY: Final = "why you are asked: this needs an answer, and no setting gives it for you"
