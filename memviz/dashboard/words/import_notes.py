"""The notes on what was repaired or left out when a file was read, in the language of their reader. A conversation
keeps them in English, as its reader gave them."""

import re
from functools import cache

from memviz.core.text.wording import COMMA
from memviz.core.translation import ENGLISH, _, language_now, noop

_NOTES = (
    noop("imported {imported} of {all} messages: {reasons}"),
    noop("imported {imported} of {all} message: {reasons}"),
    noop("nobody is called {name}, so the roles are those that the names show"),
    noop("there is no user message, so no turn to replay"),
    noop("a tool result answers no call before it"),
    noop("a tool call has no result"),
    noop("a message of the user has no text"),
    noop("content that is not text was read as JSON text"),
    noop("content of a kind that is not known is shown by its name only"),
    noop("a tool call without a name is called {name}"),
    noop(
        "a message says something else under {keys} than in its content, which is what was read"
    ),
    noop("a {key} that is not text was left out"),
    noop("a tool call that is {kind}, not an object, was left out"),
    noop("a value of tool_calls that is {kind}, not a list, was left out"),
    noop("fields too large to keep beside the text were left out"),
    noop("what subagents said in side conversations was left out (rows: {rows})"),
    noop("branches that the user went back on were left out (messages: {messages})"),
    noop("what the model thought before no reply was left out"),
    noop("what came of the last action, which the model never saw, was left out"),
    noop(
        "replies that were asked for again, and are not in the history, were left out: {replies}"
    ),
    noop("evidence that was run together or misspelt was repaired"),
    noop("evidence that names no message of the conversation was left out"),
    noop(
        "an adversarial question, which the conversation does not answer, was left out"
    ),
    noop("a question without an answer was left out"),
    noop("a question about what was never said (abstention) was left out"),
    noop("a fragment that is neither said nor thought, such as a search, was left out"),
    noop("of several candidates, the first was taken"),
    noop("it starts with a summary; what was said before that is not in the file"),
    noop("messages that the user went back on were left out"),
    noop("messages that the program replaced by others were left out"),
    noop("a rewind to a message that is not in the file was passed over"),
    noop(
        "the file holds {states} saved states of this conversation, and the newest was read"
    ),
    noop(
        "turns before the first message were already replaced by the stored summary when it was saved"
    ),
    noop(
        "turns before the first message were already replaced by the summary that it is, when the buffer was saved"
    ),
    noop("a RemoveMessage, an order to delete another message, was passed over"),
    noop("later copies of the system prompt, with an edited memory, were left out"),
    noop("why the user allowed a call, which has no result, was left out"),
    noop("the messages go round in a circle; those of one round were read"),
    noop("what comes before the first message is missing in the database"),
    noop("a fragment of a message is missing in the database"),
    noop("an event that is broken was left out"),
    noop(
        "the file does not say which branch was the conversation, so the newest was taken"
    ),
    noop("the messages form a cycle, so each was taken once"),
    noop(
        "{number} messages of other branches were left out: only the branch that was continued last is read"
    ),
    noop(
        "1 message of another branch was left out: only the branch that was continued last is read"
    ),
    noop("what came before this message is not in the file"),
    noop("left out {messages} of {branches} other branches"),
    noop("left out {messages} of 1 other branch"),
    noop("left out {messages}, deleted or broken"),
    noop(
        "the branch {branch} was read; {number} messages of the session are in no branch"
    ),
    noop(
        "the branch {branch} was read; {number} messages of the session are in other branches ({branches})"
    ),
    noop("of {number} choices only the first was imported"),
    noop(
        "Codex rewrote the file when it compacted: what was said before is gone, but for {left}"
    ),
    noop("turns that the user took back were left out: {turns}"),
    noop("rows of the type {type}, which is not known, were left out"),
    noop("the summary of a compaction is encrypted, so that nobody can read it"),
    noop("what was said before the response that it continues is not in the file"),
    noop("the reply is incomplete ({reason})"),
    noop("this is one page of several: the others are not in the file"),
    noop("the text that was not chosen was left out"),
    noop("a last reply that is empty was left out"),
    noop("the reply that was not preferred was left out"),
    noop("a tool call that is not JSON with a name was kept as the assistant's text"),
    noop("the rejected reply was left out"),
    noop("the rows come newest first, so they were read from the last to the first"),
    noop("the rows were put in the order of their times"),
    noop(
        "the column for the order is not a number everywhere, so the rows stay as they are"
    ),
    noop("the rows have {number} different system prompts; the first was taken"),
    noop("tool calls that are not JSON were left out"),
    noop("a row has fewer cells than the table has columns"),
    noop("cells beyond the last column were left out"),
    noop(
        "a row has more cells than the table has columns, so they were joined to the last"
    ),
    noop(
        "a quotation mark is never closed, so all that follows in the file was read as one cell"
    ),
    noop(
        "the first row is data, no names of columns: roles were read from the first column"
    ),
    noop("a code fence is never closed, so it was read as text"),
    noop("only one side speaks, {who}: nobody else was found at the start of a line"),
    noop(
        "lines that start with {starts} were read as text, not as the words of another speaker"
    ),
    noop("text before the first speaker was left out"),
    noop("the text ends before its end, so the last message may be cut off"),
    noop("the last speaker says nothing and was left out"),
    noop("only one person speaks, {name}"),
    noop("{number} people speak: {users} is the user, all others are the assistant"),
    noop("a line of the app itself, which nobody said, was left out"),
    noop("and {number} findings of other kinds"),
)
"""What readers note, without full stop and places."""
_PLACES = {
    "index": noop("index {number}"),
    "line": noop("line {number}"),
    "row": noop("row {number}"),
    "message": noop("message {number}"),
    "event": noop("event {number}"),
    "probe": noop("fact {number}"),
}
_PLACE = re.compile(r"(?P<kind>[a-z]+) (?P<number>\d+)")
_VALUE = re.compile(r"\{(\w+)\}")
_WHERE = r"(?: \((?P<times>\d+) times\)|: (?P<places>.+?)(?: and (?P<more>\d+) more)?)?"


def note_in_words(note: str) -> str:
    """Return the note; a sentence that is not known, of a reader of another package, stays as it is."""
    if language_now() == ENGLISH:
        return note
    for template, pattern in _patterns():
        found = pattern.fullmatch(note)
        if found:
            values = found.groupdict()
            where = _where(
                values.pop("times"), values.pop("places"), values.pop("more")
            )
            said = _(template, **values) if values else _(template)
            return _("{note}{where}.", note=said, where=where)
    return note


def _where(times: str | None, places: str | None, more: str | None) -> str:
    if times:
        return _(" ({times} times)", times=times)
    if not places:
        return ""
    named = _(COMMA).join(map(_place_in_words, places.split(", ")))
    if more:
        return _(": {places} and {more} more", places=named, more=more)
    return _(": {places}", places=named)


def _place_in_words(place: str) -> str:
    found = _PLACE.fullmatch(place)
    if found is None or found["kind"] not in _PLACES:
        return place
    return _(_PLACES[found["kind"]], number=found["number"])


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Each note with what finds it, its values by their names."""
    found = []
    for template in _NOTES:
        words = _VALUE.split(template)  # between words the names of values
        pattern = re.escape(words[0])
        for name, following in zip(words[1::2], words[2::2], strict=True):
            pattern += f"(?P<{name}>.+?){re.escape(following)}"
        found.append((template, re.compile(rf"{pattern}{_WHERE}\.", re.DOTALL)))
    return found
