"""The pages of models and of what a conversation used (issue "Models and usage")."""

from __future__ import annotations

from jp_tui.conversation.model import EffortSupport
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.models import MissingKey, ModelInfo, ServerProblem
from jp_tui.protocol.usage import AgentUsage, RequestUsage, TurnUsage
from jp_tui.protocol.values import UsageTotals
from jp_tui.ui.screens.models import Models
from jp_tui.ui.screens.usage import UsagePage
from jp_tui.view.pages import models as say
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import workspace

LISTED = ev.ModelsListed(
    models=(
        ModelInfo(id="anthropic/claude-haiku-4-5", provider="anthropic", model="claude-haiku-4-5", window=200_000,
                  input=1.0, output=5.0, images=True, aliases=("haiku",)),
        ModelInfo(id="local/[b]llama\x1b[31m", provider="local", model="[b]llama\x1b[31m"),
    ),
    problems=(
        ServerProblem(provider="ollama", kind="unreachable", message="Nothing listens."),
        ServerProblem(provider="groq", kind="auth", message="The key was refused.", advice="Check GROQ_API_KEY."),
    ),
    missing=(MissingKey(provider="openai", variable="OPENAI_API_KEY"),),
)  # fmt: skip


async def test_the_list_says_what_is_known_of_each_and_who_could_not_be_asked() -> None:
    async with workspace() as (app, pilot):
        app.action_open("model")
        await pilot.pause()
        assert isinstance(app.screen, Models) and len(app.link.of(cmd.ListModels)) == 1
        assert "loading from servers…" in app.screen_text()
        await app.says(pilot, LISTED)
        shown = app.screen_text()
        assert "200k tokens · $1 in, $5 out · images · alias haiku" in shown
        assert "local/[b]llama" in shown and "\x1b" not in shown
        assert "not running: ollama" in shown and "The key was refused. Check GROQ_API_KEY." in shown
        assert "no key: openai" in shown


async def test_enter_switches_from_now_on_o_once_and_d_for_new_ones() -> None:
    async with workspace() as (app, pilot):
        app.action_open("model")
        await app.says(pilot, LISTED)
        await pilot.press("slash", *"hai", "down", "enter")
        await pilot.pause()
        await pilot.press("o", "d")
        await pilot.pause()
        wished = [(one.conversation, one.model, one.once) for one in app.link.of(cmd.SwitchModel)]
        one = "anthropic/claude-haiku-4-5"
        assert wished == [(CONVERSATION, one, False), (CONVERSATION, one, True)]
        assert [(one.key, one.value) for one in app.link.of(cmd.SetSetting)] == [("assistant.model.id", one)]
        await app.says(pilot, ev.ModelSwitched(conversation=CONVERSATION, model=one, window=200_000))
        assert f"From the next turn: {one}" in app.screen_text() and "● anthropic" in app.screen_text()
        await pilot.press("escape")
        assert app.screen is app._main and one in app.screen_text(), "the status line has it"


async def test_a_model_can_be_named_at_once_and_what_was_done_is_said() -> None:
    async with workspace() as (app, pilot):
        app.action_open("model", "haiku")
        await app.says(pilot, ev.ModelSwitched(conversation=CONVERSATION, model="a/haiku", once=True))
        assert "For the next turn only: a/haiku" in app.screen_text()
        assert app.screen is app._main and [one.model for one in app.link.of(cmd.SwitchModel)] == ["haiku"]
        await app.says(pilot, ev.Refused(command="switch_model", message="Unknown provider haiku."))
        assert "Unknown provider haiku." in app.screen_text()


async def test_what_was_used_stands_by_turn_and_by_request() -> None:
    async with workspace() as (app, pilot):
        app.action_open("usage")
        await pilot.pause()
        assert isinstance(app.screen, UsagePage)
        first = UsageTotals(input=1200, output=40, cost_usd=0.01)
        last = UsageTotals(input=1800, output=12, cached=1000, cost_usd=0.005)
        turn = TurnUsage(
            turn=1, asked=Foreign("fix [b]it[/b]"), model="anthropic/claude-haiku-4-5", outcome="done", ms=4200,
            usage=first.plus(last), reviews=2, review_usage=UsageTotals(input=900, output=30, cost_usd=0.002),
            requests=(RequestUsage(what=Foreign("fs_read_file"), usage=first),
                      RequestUsage(what=Foreign("answer"), usage=last)),
            agents=(AgentUsage(conversation="k1", name=Foreign("scout"), task=Foreign("look [b]there"), usage=last),),
        )  # fmt: skip
        read = ev.UsageRead(
            conversation=CONVERSATION, model=turn.model, turns=(turn,),
            total=turn.usage.plus(UsageTotals(context=50_000)), review_total=turn.review_usage, window=200_000,
            agent_total=last,
        )  # fmt: skip
        await app.says(pilot, read)
        shown = app.screen_text()
        assert "fix [b]it[/b]" in shown
        assert "3.0k in (1.0k cached) · 52 out · $0.01 · 4.2 s · 1 sub-agent: 1.8k in" in shown
        assert "1. fs_read_file: 1.2k in · 40 out · $0.01" in shown
        assert "2. answer: 1.8k in (1.0k cached) · 12 out · $0.005" in shown
        assert "sub-agent scout, look [b]there: 1.8k in (1.0k cached) · 12 out · $0.005" in shown
        assert "1 turn · 3.0k in" in shown and "context 25% of" in shown


async def test_w8_e_selects_an_effort_that_the_model_takes_and_enter_sends_it() -> None:
    """Nothing is sent by selecting; the conversation's model is highlighted first."""
    async with workspace() as (app, pilot):
        name = "anthropic/claude-haiku-4-5"
        await app.says(pilot, ev.ModelSwitched(conversation=CONVERSATION, model=name))
        app.action_open("model")
        kinds: tuple[tuple[str, EffortSupport], ...] = (("a/none", "none"), ("a/switch", "switch"), (name, "budget"))
        models = tuple(ModelInfo(id=one, provider="a", model=one, effort=kind) for one, kind in kinds)
        await app.says(pilot, ev.ModelsListed(models=models, effort="high"))
        assert app.link.of(cmd.ListModels)[0].conversation == CONVERSATION
        assert "Effort: default · low · medium · [high]" in app.screen_text(), "what the conversation has"
        await pilot.press("e", "e")
        assert "Effort: default · [low] · medium · high" in app.screen_text()
        assert say.EFFORT_WANTED.format(level="low") in app.screen_text() and not app.link.of(cmd.SwitchModel)
        await pilot.press("o", "enter")
        await pilot.pause()
        sent = [(one.model, one.once, one.effort) for one in app.link.of(cmd.SwitchModel)]
        assert sent == [(name, True, "low"), (name, False, "low")]
        await app.says(pilot, ev.ModelSwitched(conversation=CONVERSATION, model=name, effort="low"))
        assert f"From the next turn: {name} · effort low" in app.screen_text()
        await pilot.press("up")
        assert "Effort: default · [on]" in app.screen_text()
        await pilot.press("e", "d")
        await pilot.pause()
        settings = [(one.key, one.value) for one in app.link.of(cmd.SetSetting)]
        assert settings == [("assistant.model.id", "a/switch"), ("assistant.model.effort", "default")]
        await pilot.press("up", "e")
        assert say.NO_EFFORT in app.screen_text() and "e effort" not in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert app.link.of(cmd.SwitchModel)[-1].model == "a/none"
