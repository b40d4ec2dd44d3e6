"""The messages that a request sends with less in them than was said: which they are, and how they were made smaller."""

from collections import Counter
from collections.abc import Mapping

from memviz.core.context import Block
from memviz.core.forms import Form, FormFate
from memviz.core.messages import Message
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.engine.part_tokens import find_reduced_forms
from memviz.engine.records import TurnRecord

IN_FORMS = ("history", "input")
"""Kinds of blocks with messages of the log in their own place, which alone are sent in forms."""
FORM_WORDS: dict[FormFate, str] = {
    "cleared": noop("sent as a placeholder"),
    "shortened": noop("shortened"),
}


def forms_sent(record: TurnRecord) -> Mapping[int, Form]:
    """Return the forms of the messages of the log that were sent with less in them than was said, by their
    positions."""
    forms: dict[int, Form] = {}
    for piece in record.parts.messages:
        forms.update(find_reduced_forms(record.memory.space, piece))
    return forms


def sent_instead(record: TurnRecord, position: int) -> tuple[Message, str] | None:
    """Return the message that was sent in the place of one with more in it, and in a few words how it was made smaller;
    ``None`` for a message that was sent as it was said."""
    form = forms_sent(record).get(position)
    if form is None:
        return None
    sent = record.memory.log.sent(position, form)
    return sent, form_words(record, position, sent, form)


def form_counts(block: Block, forms: Mapping[int, Form]) -> list[str]:
    """Return ``3 of them sent as a placeholder``, for each form that messages of the block were sent in."""
    if block.kind not in IN_FORMS:
        return []
    counts = Counter(forms[at].fate for at in block.indices if at in forms)
    return [
        _("{number:,} of them {how}", number=counts[fate], how=_(words))
        for fate, words in FORM_WORDS.items()
        if counts[fate]
    ]


def form_words(record: TurnRecord, position: int, sent: Message, form: Form) -> str:
    """Return in a few words how a message was made smaller."""
    content = record.memory.log[position].content
    if form.fate == "cleared" and sent.content == content:
        return _("sent without the arguments of its calls")
    if form.is_older_read:
        return _("an older read of this file, sent as a placeholder")
    if form.stores:
        return _(
            "offloaded: its beginning is sent, and reading all of it once would send {tokens} more",
            tokens=tokens_as_said(record, position),
        )
    return _(FORM_WORDS[form.fate])


def tokens_as_said(record: TurnRecord, position: int) -> str:
    """Return ``100 tokens``, of a message as it was said."""
    tokens = record.memory.sums.between(position, position + 1)
    return counted(tokens, "token")
