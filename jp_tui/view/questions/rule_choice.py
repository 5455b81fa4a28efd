"""Rules that Y and N make: which of the offered scopes, and how long (rules.md AR18, AR19). Pure.

Widening and narrowing stop at the ends; the lifetime goes round. Labels hold words of a model: the sentence is foreign.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ChosenRule, PromptRequest, RuleCoverage, RuleLifetime, RuleOffer

LASTS: Final[dict[RuleLifetime, str]] = {
    "turn": "this turn",
    "conversation": "in this conversation",
    "folder": "in this folder",
}
SHORT: Final[dict[RuleLifetime, str]] = {
    "turn": "this turn",
    "conversation": "conversation",
    "folder": "this folder",
}
"""For the answers, which have little room."""
SESSION: Final = "in this session"
"""For the rules of another program's session."""
UNKNOWN: Final = "nothing like it was asked before"
KEYS: Final = "+ widens, - narrows, l changes how long"


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """`scopes` from narrow to wide; `at` is the chosen one; `outside`: another program asks, whose session is meant."""

    scopes: tuple[RuleOffer, ...]
    at: int
    lifetime: RuleLifetime = "turn"
    outside: bool = False

    @classmethod
    def of(cls, prompt: PromptRequest) -> RuleChoice | None:
        """Return the first offer of a prompt, None if it has none."""
        if not prompt.scopes or "remember" not in prompt.controls:
            return None
        ordered = tuple(sorted(prompt.scopes, key=lambda one: one.width))
        first = prompt.scopes[0]
        return cls(ordered, ordered.index(first), first.lifetimes[0], outside=prompt.source == "outside")

    @property
    def scope(self) -> RuleOffer:
        """The chosen scope."""
        return self.scopes[self.at]

    @property
    def chosen(self) -> ChosenRule:
        """The choice as an answer says it."""
        return ChosenRule(scope=self.scope.scope, lifetime=self.lifetime)

    @property
    def changes(self) -> bool:
        """True if there is anything to choose."""
        return len(self.scopes) > 1 or len(self.scope.lifetimes) > 1

    def moved(self, by: int) -> RuleChoice:
        """Return a wider choice, or for a negative number a narrower one; itself at the end."""
        at = min(max(self.at + by, 0), len(self.scopes) - 1)
        lasts = self.scopes[at].lifetimes
        return replace(self, at=at, lifetime=self.lifetime if self.lifetime in lasts else lasts[0])

    def longer(self) -> RuleChoice:
        """Return it with the next lifetime, the first after the last."""
        lasts = self.scope.lifetimes
        return replace(self, lifetime=lasts[(lasts.index(self.lifetime) + 1) % len(lasts)])

    def lasts(self, lifetime: RuleLifetime) -> str:
        """Say how long that is."""
        return SESSION if self.outside and lifetime == "conversation" else LASTS[lifetime]

    @property
    def short(self) -> str:
        """Say how long it lasts, where there is little room."""
        return "this session" if self.outside and self.lifetime == "conversation" else SHORT[self.lifetime]

    def sentence(self) -> Foreign:
        """Say what Y and N do, and what the scope would have covered."""
        scope = self.scope
        return Foreign(f"Y allows, N denies {scope.label.raw} {self.lasts(self.lifetime)} · {figures(scope.covered)}")

    def everything(self) -> Foreign:
        """The sentence, and all scopes with their figures, one a line."""
        marks = (">" if one is self.scope else " " for one in self.scopes)
        rows = [
            f"{mark} {one.label.raw} · {figures(one.covered)}" for mark, one in zip(marks, self.scopes, strict=True)
        ]
        lasts = ", ".join(self.lasts(one) for one in self.scope.lifetimes)
        return Foreign(
            "\n".join([self.sentence().raw, "From narrow (-) to wide (+):", *rows, f"How long (l): {lasts}"])
        )

    def pressed(self, key: str) -> RuleChoice | None:
        """Return it after the key `+`, `-` or `l`, None for any other."""
        match key:
            case "+" | "-":
                return self.moved(1 if key == "+" else -1)
            case "l":
                return self.longer()
            case _:
                return None


def figures(covered: RuleCoverage) -> str:
    """Say how many of the last calls a scope covers."""
    if not covered.matched:
        return UNKNOWN
    refused = f", {covered.refused} of them you refused" if covered.refused else ""
    return f"would have covered {covered.matched} of your last {covered.of}{refused}"
