"""A summarization before it is used: what would be summarized, what the summarizer wrote, and the user's decision."""

from collections.abc import Callable

import streamlit as st

from memviz.core.text.wording import counted, message_range, seconds_words
from memviz.core.translation import _
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.controls.chat_state import chat_state
from memviz.dashboard.ui.controls.jobs import Job, Tell
from memviz.dashboard.ui.controls.pickers import instruction_key, prompt_picker
from memviz.dashboard.ui.controls.spending import bound_caption, spending
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    buttons_row,
    main_button,
    popup,
    show_info,
    show_problem,
)
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.dashboard.words.compactions import name_counted_amount
from memviz.dashboard.words.requests import message_words, role_name
from memviz.engine.chat import Chat, Proposal
from memviz.engine.drafts import INTERRUPTED, Draft
from memviz.metrics.cost.bounds import INSTRUCTION_TOKENS, measure_token_margin
from memviz.models.names import in_words
from memviz.models.planned_calls import PlannedCalls, price_at_most

MAX_MESSAGES_SHOWN = 40
PREVIEW_CHARS = 200
TEXT_PIXELS = 180
PROMPT_KEY = "review-prompt"


def draw_review_panel(desk: ChatDesk) -> None:
    """Show what waits for a decision, if anything does. The summarizer is asked for a first draft by itself."""
    chat = desk.chat
    proposal = chat.proposal
    if proposal is None:
        return
    is_first = not proposal.drafts and not desk.state.write_on_click
    if is_first or desk.state.draft_with is not None:
        _ask_for_draft(desk)
        proposal = chat.proposal or proposal
    drafts = proposal.drafts
    with box():
        _draw_head(chat, proposal)
        written = [draft for draft in drafts if draft.error is None]
        if drafts:
            _say_not_written(drafts[-1], is_written=bool(written))
        shown = hash(written[-1].text if written else "")
        key = f"review-text-{len(chat.run.compactions)}-{len(drafts)}-{shown}"
        if not written:
            _say_nothing_written(desk, key, is_first=not drafts)
            return
        draft = written[-1]
        text = st.text_area(
            _("Proposed summary"),
            draft.text,
            key=key,
            height=TEXT_PIXELS,
            help=_(
                "Change it as you like: from now on the model knows of these messages what stands here."
            ),
        )
        st.caption(_size(chat, proposal, draft, text))
        _draw_decisions(desk, key, is_changed=text.strip() != draft.text)


def _say_nothing_written(desk: ChatDesk, key: str, *, is_first: bool) -> None:
    """Show what can be done without a draft: there is nothing to use."""
    again = _("Try again")
    if is_first:
        again = _(
            "Write it with {summarizer}", summarizer=plain(desk.models.summarizer.label)
        )
    with buttons_row():
        main_button(again, "review-try-again", ":material/refresh:", _propose)
        with popup(_("Write it yourself"), ":material/edit:"):
            st.text_area(
                _("Summary in your words"),
                key=key,
                height=TEXT_PIXELS,
                help=_(
                    "From now on the model knows of these messages what stands here."
                ),
            )
            button(
                _("Use my wording"),
                "review-accept",
                ":material/check:",
                _accept,
                desk,
                key,
            )
        with popup(_("Another prompt"), ":material/tune:"):
            _draw_write_again_button(desk)
        _draw_skip_button(desk)
    _say_draft_costs(desk)


def _say_draft_costs(desk: ChatDesk) -> None:
    """Say what one more draft costs at most."""
    summarizer = desk.models.summarizer
    chat = desk.chat
    proposal = chat.proposal
    if summarizer.is_free or proposal is None:
        return
    # One instruction may be typed, too.
    tokens = _source_tokens(chat, proposal) + 2 * INSTRUCTION_TOKENS
    margin = measure_token_margin(chat.log, chat.run.counter)
    draft = PlannedCalls.at_most(
        summarizer.name, [tokens], spending().reply_tokens, margin
    )
    bound = price_at_most([draft])
    bound_caption(bound, before=_("A draft by {name}:", name=summarizer.name))


def _ask_for_draft(desk: ChatDesk) -> None:
    """Ask the summarizer. A draft that was stopped is one that failed: it is not asked again by itself."""
    draft_with = desk.state.draft_with
    instruction = (
        None if draft_with in ("", desk.chat.strategy.instruction) else draft_with
    )
    desk.state.draft_with = None
    desk.state.write_on_click = False

    def propose(_: Tell) -> None:
        try:
            desk.chat.propose(instruction)
        finally:  # the draft is there after a reload as well, and so is that it was stopped
            desk.save()

    is_free = desk.models.summarizer.is_free
    error = Job("review", propose, _("Writing the summary"), is_offline=is_free).run()
    if error is not None:
        raise error


def _say_not_written(draft: Draft, *, is_written: bool) -> None:
    """Say why the newest draft was not written, where it was not."""
    if draft.error is None:
        return
    outcome = _("No summary was written, and nothing is lost.")
    if is_written:
        outcome = _("The draft before it still stands.")
    if draft.error == INTERRUPTED:
        stopped = _(
            "You stopped {model} after {time}. {left}",
            model=plain(in_words(draft.model)),
            time=seconds_words(draft.seconds),
            left=outcome,
        )
        show_info(stopped, ":material/stop_circle:")
    else:
        failed = _(
            "The summarizer failed: {model} gave no text that can be used. {left} "
            "Try again, choose another summarizer, or write the summary yourself.",
            model=in_words(draft.model),
            left=outcome,
        )
        # Its own words come last: they may be in another language, and say nothing of what to do.
        reason = _("Its reason: {reason}", reason=draft.error)
        show_problem(f"{failed} {reason}")


def _draw_head(chat: Chat, proposal: Proposal) -> None:
    plan = proposal.plan
    st.markdown(
        _(
            "**Before the summarization of {messages}**",
            messages=message_range(plan.summarize),
        )
    )
    due = _(
        "It is due because {reason}.",
        reason=plain(name_counted_amount(chat.strategy, plan.reason)),
    )
    if plan.replaces:
        due = _(
            "{due} They join version {version} of the summary.",
            due=due,
            version=plan.replaces.version,
        )
    st.caption(due)
    with st.expander(
        _(
            "What would be summarized: {messages}",
            messages=counted(proposal.messages, "message"),
        )
    ):
        if plan.replaces is not None:
            st.text(_("summary so far: {text}", text=plan.replaces.text))
        for message in proposal.messages[:MAX_MESSAGES_SHOWN]:
            st.text(
                _(
                    "{role}: {words}",
                    role=role_name(message.role),
                    words=shorten(message_words(message), PREVIEW_CHARS),
                )
            )
        more = len(proposal.messages) - MAX_MESSAGES_SHOWN
        if more > 0:
            st.caption(_("and {more} more", more=more))


def _size(chat: Chat, proposal: Proposal, draft: Draft, text: str) -> str:
    source = _source_tokens(chat, proposal)
    now = chat.run.counter(text) if text.strip() else 0
    writer = _("by {model}", model=plain(in_words(draft.model)))
    if draft.by_thinking:
        writer = _("written when it stopped thinking")
    size = _(
        "{source:,} tokens → {now:,} tokens, {writer}, {time}.",
        source=source,
        now=now,
        writer=writer,
        time=seconds_words(draft.seconds),
    )
    if len(proposal.drafts) == 1:
        return size
    return _("Draft {number}. {size}", number=len(proposal.drafts), size=size)


def _source_tokens(chat: Chat, proposal: Proposal) -> int:
    """Tokens of what would be summarized."""
    plan = proposal.plan
    positions = plan.summarize
    tokens = int(chat.run.space.sums.between(positions.start, positions.stop))
    return tokens + (plan.replaces.tokens if plan.replaces else 0)


def _draw_decisions(desk: ChatDesk, key: str, *, is_changed: bool) -> None:
    with buttons_row():
        main_button(
            _("Use my wording") if is_changed else _("Use it"),
            "review-accept",
            ":material/check:",
            _accept,
            desk,
            key,
        )
        with popup(_("Write again"), ":material/refresh:"):
            _draw_write_again_button(desk)
        _draw_skip_button(desk)
    _say_draft_costs(desk)


def _draw_skip_button(desk: ChatDesk) -> None:
    button(
        _("Skip"),
        "review-skip",
        ":material/skip_next:",
        _decide,
        desk,
        desk.chat.skip,
        help=_("Summarize nothing now. You are asked again in a later turn."),
    )


def _draw_write_again_button(desk: ChatDesk) -> None:
    prompt_picker(
        st.container(), PROMPT_KEY, desk.chat.strategy.instruction, height=TEXT_PIXELS
    )
    button(_("Write again"), "review-again", ":material/refresh:", _propose)


def _propose() -> None:
    chat_state().draft_with = (widget_value(instruction_key(PROMPT_KEY)) or "").strip()


def _accept(desk: ChatDesk, key: str) -> None:
    _decide(desk, desk.chat.accept, widget_value(key))


def _decide(desk: ChatDesk, do: Callable[..., object], *arguments: object) -> None:
    if desk.change(do, *arguments):
        desk.state.going_on = True
