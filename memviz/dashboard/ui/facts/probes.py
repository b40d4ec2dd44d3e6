"""The facts that are looked for: the conversation's own, those proposed, and those that the user types in."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from memviz.core.conversation import Log
from memviz.core.errors import MemvizError, MessageError
from memviz.core.text.containment import PhraseIndex, normal_tokens
from memviz.core.text.wording import COMMA, counted, message_number, message_position
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.ui.controls.known_facts import READ_MESSAGES, Facts, proposals_key
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import (
    quiet_button,
    row,
    show_error,
    show_info,
    show_table,
    switch,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.tool_facts import count_unmeasured_results
from memviz.transcripts.base import Category, Probe

QUESTION_KEY = "probe-question"
ANSWERS_KEY = "probe-answers"
STALE_KEY = "probe-stale"
MESSAGE_KEY = "probe-message"
ERROR_KEY = "probe-error"
"""Under it is kept what was wrong with the fact that was typed in last."""
ANSWERS_HELP = noop(
    "As the conversation says it. Several spellings: one a line, any of them counts."
)
STALE_HELP = noop(
    "What was right once and was replaced, one a line. It shows when a context still holds it."
)
MESSAGE_HELP = noop(
    "Number of the message that states it. Empty: the first one that contains the answer."
)
KINDS = (
    noop("rule"),
    noop("constraint"),
    noop("goal"),
    noop("preference"),
    noop("single fact"),
    noop("updated fact"),
    noop("single-hop"),
    noop("multi-hop"),
    noop("multi-evidence"),
    noop("temporal"),
    noop("open-domain"),
    noop("adversarial"),
)
"""Of facts, as conversations and proposals name them; another one is shown as it is."""
TABLE_PIXELS = 320
LABEL_CHARS = 90


def say_where_from(facts: Facts) -> None:
    """Say where the facts come from, where that is not the conversation itself; that only some are looked for; or
    that there are none."""
    if facts.one_in > 1:
        st.info(
            _(
                "One in {one_in:,} of the facts of this long conversation is looked for: all of them, in {turns}, "
                "would take too much memory.",
                one_in=facts.one_in,
                turns=counted(facts.log.turn_count, "turn"),
            ),
            icon=":material/filter_alt:",
        )
    if facts.proposals and not facts.brought and facts.with_proposals:
        st.info(_proposed_words(facts), icon=":material/auto_awesome:")
    elif not facts.probes:
        why = _(
            "There is no fact to look for. Switch on the proposed ones below, or type one in."
        )
        if not facts.proposals:
            why = _(
                "There is no fact to look for. The conversation brings none, and nothing in it could be proposed: no "
                "code, allergy, person, date or amount that somebody states. Type one in below."
            )
        show_info(why)

    if without_tool_results(facts):
        st.caption(
            _(
                "None of these facts comes from what a tool returned: what is lost with {tool_results} of this "
                "conversation is not measured here. Add facts from them yourself, under Facts looked for below.",
                tool_results=counted(facts.log.tools.results, "tool result"),
            )
        )


def _proposed_words(facts: Facts) -> str:
    """Return the number of proposed facts, what they come from, and the way on."""
    count = len(facts.proposals)
    number = f"{count:,}"
    if len(facts.log) > READ_MESSAGES:
        return ngettext(
            "This conversation brings no labelled facts. {number} fact in it was proposed automatically in the first "
            "{messages:,} messages: codes, phone numbers, allergies, people, places, dates, times, counts, what is "
            "ruled out, and what tools returned and a later reply used. Add your own, or switch these off, under Facts "
            "below.",
            "This conversation brings no labelled facts. {number} facts in it were proposed automatically in the first "
            "{messages:,} messages: codes, phone numbers, allergies, people, places, dates, times, counts, what is "
            "ruled out, and what tools returned and a later reply used. Add your own, or switch these off, under Facts "
            "below.",
            count,
            number=number,
            messages=READ_MESSAGES,
        )
    return ngettext(
        "This conversation brings no labelled facts. {number} fact in it was proposed automatically: codes, phone "
        "numbers, allergies, people, places, dates, times, counts, what is ruled out, and what tools returned and a "
        "later reply used. Add your own, or switch these off, under Facts below.",
        "This conversation brings no labelled facts. {number} facts in it were proposed automatically: codes, phone "
        "numbers, allergies, people, places, dates, times, counts, what is ruled out, and what tools returned and a "
        "later reply used. Add your own, or switch these off, under Facts below.",
        count,
        number=number,
    )


def without_tool_results(facts: Facts) -> bool:
    """Return whether the conversation has results of tools and no fact that is looked for comes from one."""
    return count_unmeasured_results(facts.log, facts.probes) > 0


def probes_panel(facts: Facts) -> None:
    """Draw all facts that are looked for, and the controls that change which."""
    label = _("Facts looked for: {count:,}", count=len(facts.probes))
    with st.expander(
        label,
        icon=":material/checklist:",
        expanded=not facts.probes,
        key="retention-facts",
    ):
        if facts.proposals:
            key = proposals_key(compare_state().conversation_id)
            if widget_value(key) is None:
                set_widget(key, facts.with_proposals)
            template = noop("Look for {proposed}")
            if facts.brought:
                template = noop("Look for {proposed} too")
            proposed = counted(facts.proposals, "proposed fact")
            switch(
                _(template, proposed=proposed),
                key=key,
                persist_state="session",
                help=_(
                    "Proposed without a model: what a sentence names as what it is (a code, an allergy, a person, a "
                    "decision), dates and amounts that the user states, and names that are used again later."
                ),
            )
        if facts.probes:
            _draw_table(facts)
        _take_typed(facts)
        _draw_form(facts)


def _draw_table(facts: Facts) -> None:
    height: int | Literal["content"] = "content"
    if len(facts.probes) > 6:
        height = TABLE_PIXELS
    with st.container(height=height, border=False):
        rows = [_row(facts, probe) for probe in facts.probes]
        show_table(rows, _("The facts that are looked for"))


def _row(facts: Facts, probe: Probe) -> dict[str, str]:
    source = _("labelled") if probe in facts.brought else _("proposed")
    if probe.by_user:
        source = _("typed in")
    evidence = [f"{message_number(position):,}" for position in probe.evidence]
    return {
        _("Question"): plain(probe.question),
        _("Answer"): plain(" / ".join(probe.answers)),
        _("Outdated"): plain(" / ".join(probe.stale)),
        _("Message"): _(COMMA).join(evidence),
        _("Kind"): _("{kind}, {source}", kind=_(probe.category), source=source),
    }


def _take_typed(facts: Facts) -> None:
    for number, probe in enumerate(facts.typed):
        name = f"{' / '.join(probe.answers)} · {probe.question}"
        with row():
            st.markdown(plain(shorten(name, LABEL_CHARS)))
            quiet_button(
                _("Remove"),
                f"probe-remove-{number}",
                ":material/delete:",
                workspace().remove_probe,
                compare_state().conversation_id,
                probe,
            )


def _draw_form(facts: Facts) -> None:
    """Draw the form in which a fact is typed. What was typed stays if something is wrong with it."""
    with st.form("probe-form", border=False):
        st.markdown(_("**Look for a fact of your own**"))
        left, right = st.columns(2)
        left.text_area(
            _("Answer"),
            key=ANSWERS_KEY,
            height=80,
            placeholder=_("3,600 euros\n3,600"),
            help=_(ANSWERS_HELP),
        )
        right.text_area(
            _("Outdated values"),
            key=STALE_KEY,
            height=80,
            placeholder=_("3,000 euros"),
            help=_(STALE_HELP),
        )
        left.text_input(
            _("Question"),
            key=QUESTION_KEY,
            placeholder=_("What is the budget now?"),
            help=_("May stay empty. A model is asked it only under Ask a model."),
        )
        right.number_input(
            _("Message"),
            1,
            max(1, len(facts.log)),
            None,
            key=MESSAGE_KEY,
            placeholder=_("the first that contains it"),
            help=_(MESSAGE_HELP),
        )
        st.form_submit_button(
            _("Look for it"), icon=":material/add:", on_click=_add, args=(facts.log,)
        )
        error = widget_value(ERROR_KEY)
        if error is not None:
            show_error(error)


def _add(log: Log) -> None:
    answers = _lines(widget_value(ANSWERS_KEY) or "")
    stale = _lines(widget_value(STALE_KEY) or "")
    question = widget_value(QUESTION_KEY) or ""
    set_widget(ERROR_KEY, None)
    try:
        probe = typed_probe(log, question, answers, stale, widget_value(MESSAGE_KEY))
        workspace().add_probe(compare_state().conversation_id or "", probe)
    except MemvizError as error:
        set_widget(ERROR_KEY, error)
        return
    # The form begins anew: fields of text with none, that of a number without one.
    for key in (QUESTION_KEY, ANSWERS_KEY, STALE_KEY, MESSAGE_KEY):
        is_text = isinstance(widget_value(key), str)
        set_widget(key, "" if is_text else None)
    st.toast(
        _("{answers} is looked for now.", answers=plain(" / ".join(answers))),
        icon=":material/check:",
    )


def _lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text that are not empty, each once."""
    lines = map(str.strip, text.splitlines())
    return tuple(dict.fromkeys(filter(None, lines)))


def typed_probe(
    log: Log,
    question: str,
    answers: Sequence[str],
    stale: Sequence[str] = (),
    number: int | None = None,
) -> Probe:
    """Return the probe that a user typed in. ``number`` is that of the message that states it (1-based), by default of
    the first one that contains an answer. Raises MessageError, with what to do, if there is none."""
    if not any(map(normal_tokens, answers)):
        raise MessageError(
            _(
                "The answer is empty. Write what the conversation says, such as 3,600 euros."
            )
        )
    position = _first_with(log, answers) if number is None else message_position(number)
    if position is None:
        raise MessageError(
            _(
                "No message of this conversation contains “{answer}”. Write it as the conversation does, or give "
                "the number of the message that states it in other words.",
                answer=answers[0],
            )
        )
    question = " ".join(question.split())
    if not question:
        question = _("Is “{answer}” still there?", answer=answers[0])
    category: Category = "updated fact" if stale else "single fact"
    return Probe(
        question, tuple(answers), (position,), category, tuple(stale), by_user=True
    )


def _first_with(log: Log, answers: Sequence[str]) -> int | None:
    """Return the position of the first message that contains an answer; ``None`` where none does."""
    texts = [read_message(message) for message in log]
    positions = PhraseIndex(answers).find(texts).texts
    return int(positions.min()) if positions.size else None
