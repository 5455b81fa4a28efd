"""The words of a question, the same in every face (inquiries.md M12, M33-M35, M42, M44; asking.md "Keys", "Answers").

Literals only, with named holes for what is not ours: a face fills them through its own gate for foreign text.
The exact ones (M12, M33-M35, M42) are pinned by tests. Says nothing about keys' bindings and nothing about style.
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

# M34 and M35, exact: leave to run a call, leave to deliver what it gave back.
PERMISSION: Final = "Run {kind} {tool} tool?"
PERMISSION_MCP: Final = "Run {kind} {tool} tool from {server} server?"
RUN: Final = "Run tool"
RUN_TURN: Final = "Run tool, remember for this turn"
SKIP: Final = "Skip running tool"
SKIP_TURN: Final = "Skip running tool, remember for this turn"
PRINT_ARGUMENTS: Final = "Print arguments as JSON"
SKIP_REPLY: Final = "Skip and reply"
EDIT_ARGUMENTS: Final = "Edit arguments"
DELIVERY: Final = "Deliver {tool} result to assistant?"
DELIVER: Final = "Deliver result"
SKIP_DELIVERY: Final = "Skip delivery"
EDIT_RESULT: Final = "Edit result first"
EDIT_CANCELLED: Final = "Edit cancelled"  # R87, the reason of the skip

# M12, exact, and what stands there when the reviewer could not decide (R150, R154).
REJECTING: Final = "The assistant recommended rejecting this change:"
NO_REASON: Final = "(no reason given)"
NO_VERDICT: Final = "The reviewer could not decide, so this comes to you:"

# What each line of the menu does, and what it would lose (R248).
ANSWER_DOES: Final = "back to the question"
REPLY_DOES: Final = "cancels the question; the model reads your words instead and goes on"
CANCEL_DOES: Final = "ends this tool call without an answer; the turn goes on"
END_TURN_DOES: Final = "stops the whole turn and every tool that still runs"
EMPTY_DOES: Final = "answers with an empty text"
CLOSES: Final = "{n} more waiting {questions} {close} too"
LOSES_TEXT: Final = "what you typed here is not sent"

SKIP_REPLY_DOES: Final = "the tool is not run; the model reads why"
SKIP_CANCEL_DOES: Final = "the tool is not run: “Edit cancelled”"
EDIT_DOES: Final = "the tool runs again from the start with what you make of them"
EDIT_RUN_DOES: Final = "the tool runs with what you make of them"
NO_DELIVERY_DOES: Final = "the model is told that delivery was cancelled; the turn goes on"
NOTHING_DOES: Final = "answers with nothing chosen"
NOTE: Final = "Note"
NOTE_DOES: Final = "goes along with your answer, with a yes as well as a no"

# Moving about in a form (R176, R182b, E3, E23).
REVIEW: Final = "review"
REVIEW_TITLE: Final = "Review your answers, then submit"
SUBMIT: Final = "Submit"
SUBMIT_DOES: Final = "the model gets these answers"
BACK_DOES: Final = "to {to}, with your answer to change"
BACK_DISCARDS: Final = "to {to}; discards the answers to {which}, until u brings them back"
BACK_LOSES: Final = "Back to {to} discards the later answers to {which}; u brings them back until the next submit"
UNDO: Final = "Bring back"
UNDO_DOES: Final = "the answers to {which} that Back took away"
UNDO_LINE: Final = "u brings back what Back took away: {which}"
BEFORE: Final = "your answer before"
NO_BACK: Final = "there is no answered question before this one"
NOT_AHEAD: Final = "answer this one first: only answered questions can be passed"
FIXED_ANSWER: Final = "{id} is answered by a setting: it is not asked"
FIXED: Final = "set"
SKIPPED_LINE: Final = "{id}: {because}"
MORE_SKIPPED: Final = "{n} more skipped"

# Marks beside a choice (E20, E22).
DEFAULT: Final = "default"
RECOMMENDED: Final = "(recommended)"
ELSE: Final = "Something else…"
ELSE_DOES: Final = "a reply in words: none of these is chosen, the model reads what you write"
OTHER_DOES: Final = "your own words are the answer"
OTHER_HINT: Final = "Your own answer…"

# Remembering (R113, R236). The engine says what is covered.
COVERS: Final = "Y and N cover: {scope}"
COVERS_UNKNOWN: Final = "Y and N cover: until this turn ends, every such question of {tool}, without showing it"
COVERS_CALLS: Final = "Y and N cover: until this turn ends, every call of {tool}, whatever its arguments"

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
ANSWERED_BY: Final = "The question of {who} no longer waits: already answered by {by}."
SKIPPED: Final = "skipped: {because}"
EMPTY_ANSWER: Final = "empty on purpose"
NOT_WRITTEN_YET: Final = "nothing written yet. Write your answer, or Esc to go back to the list"
NONE_CHOSEN: Final = "nothing is chosen. Enter once more answers with nothing, on purpose"
NO_REASON_YET: Final = "nothing written yet. Write why it is not run, or Esc to go back; n skips without words"
NOT_JSON: Final = "line {line}, column {column}: {problem}"
NOT_JSON_SOMEWHERE: Final = "not taken: {problem}"
EMPTIED: Final = "emptied, so nothing was sent"
EMPTIED_RESULT: Final = "emptied. Enter once more delivers the result as it was"
NO_ARGUMENTS: Final = "these arguments cannot be edited here: {problem}"

# Fields.
REPLY_HINT: Final = "Reply in words…"
TEXT_HINT: Final = "Your answer…"
SECRET_HINT: Final = "Not shown, not kept…"
JSON_HINT: Final = "JSON…"
NOTE_HINT: Final = "Note…"
RESULT_HINT: Final = "What the assistant reads…"
FILTER_HINT: Final = "filter…"
REPLY_TITLE: Final = "Reply in words: the question is cancelled, the model reads this and goes on"
NOTE_TITLE: Final = "Note: Enter keeps it, and it goes along with your answer"
SKIP_TITLE: Final = "Skip and reply: the tool is not run, the model reads why"
EDIT_TITLE: Final = "Edit arguments: this question closes, {tool} runs again from the start with these"
EDIT_RUN_TITLE: Final = "Edit arguments: {tool} runs with these"
RESULT_TITLE: Final = "Edit result first: the assistant reads this instead of the result"
CHOSEN: Final = "{n} of {m} chosen"
SECRET_KEPT: Final = "goes to the tool only: not shown, not kept in the log, not told to the model"
FAILED_RESULT: Final = "the tool failed; this is what it said"
TIME_LEFT: Final = "{left} left to answer; after that it ends as timed out, never as a no"
TIME_OVER: Final = "the time to answer is over"
EMPTY_OPTION: Final = "(empty)"
BLANK_OPTION: Final = "(only blanks)"
FOUND: Final = "▲ found in this question: {kinds}"
CUT: Final = "… {n} more characters"
WHOLE_REASON: Final = "v shows all of it"
WHY: Final = "why you are asked: {why}"
NO_WHY: Final = "why you are asked: this needs an answer, and no setting gives it for you"
