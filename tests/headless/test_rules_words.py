"""`/rules` of plain mode (rules.md AR24): listed by number, revoked and added by entering it twice."""

from __future__ import annotations

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.headless.test_plain import Talk
from tests.ui.test_rules_page import RULES, SUGGESTED, read


def test_ar24_rules_are_listed_revoked_and_added() -> None:
    typed = ["/rules revoke 1", "/rules", "/rules revoke 1", "/rules revoke 2", "/rules add 2", "/rules revoke 2"]
    talk = Talk(*typed, "/rules revoke 2", "/rules", "/rules add 2", "/rules add 2", "/quit")
    left = (RULES[0],)
    talk.link.answers[c.ReadRules] = lambda _: [read(rules=RULES if not talk.link.of(c.RevokeRule) else left)]
    talk.link.answers[c.RevokeRule] = lambda _: [read(rules=left, done="revoked", changed="rule-7f3k2p")]
    talk.link.answers[c.TakeSuggestion] = lambda _: [e.Refused(command="take_suggestion", message="not any more")]
    status, shown = talk.end()
    assert status == 0 and talk.sent() == []
    assert "Enter /rules, /rules revoke NUMBER or /rules add NUMBER" in shown
    assert "  2  allow  shell_run  command git log|diff …\n     yours · used 14 times" in shown
    assert (
        "Only rules of your own rules.toml can be revoked here" in shown and "This is a rule, no suggestion." in shown
    )
    assert [one.id for one in talk.link.of(c.RevokeRule)] == ["rule-7f3k2p"] and "Revoked rule-7f3k2p." in shown
    assert [one.table for one in talk.link.of(c.TakeSuggestion)] == [SUGGESTED.table] and "not any more" in shown
