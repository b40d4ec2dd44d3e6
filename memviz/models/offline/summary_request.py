"""The material of a summary: from the source of a prompt where it is known, else parsed out of the prompt."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.core.summaries import SummarySource
from memviz.strategies.prompts import transcript_text

# LlamaIndex opens a quote and puts the first entry on the line of its heading.
_ENTRY = re.compile(
    r'^"?(?:Transcript so far: ?)?(system|user|assistant|tool): ?', re.MULTILINE
)
_CLOSING_QUOTE = re.compile(r'\n\s*"\s*$')
# "Previous summary: "
_OLD_SUMMARY = re.compile(
    r"\s*(?:previous|existing|current|earlier|old) summary\s*:\s*", re.IGNORECASE
)
# LangChain's middleware writes messages as XML, in which what was said is escaped.
_XML_MESSAGE = re.compile(
    r'<message type="(human|ai|system|tool)">(.*?)</message>', re.DOTALL
)
# '<tool_call id="1" name="look">{"at": 3}</tool_call>'
_XML_CALL = re.compile(
    r'<tool_call id="[^"]*" name="([^"]*)">(.*?)</tool_call>', re.DOTALL
)
# "<content>Hello</content>"
_XML_CONTENT = re.compile(r"<content>(.*?)</content>", re.DOTALL)
_XML_ROLES = {"human": "user", "ai": "assistant"}
_SUMMARY_TO_DATE = "Here is a summary of the conversation to date:"
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


# "in at most 50 words", "200字"
_LIMIT = re.compile(
    r"\b(?:at most|no more than|not more than|up to|under|within|fewer than|less than|limited? to|in)\s+"
    r"(\d{1,5})\s+(token|word|character)s?\b|(\d{1,5})\s*(个?字|個字|文字|단어)",
    re.IGNORECASE,
)


# "as a list", "列表"
_LIST = re.compile(
    r"\b(?:lists?|bullets?|one to a line|a line each|liste|stichpunkte?n?)\b|列表|要点|逐条|一行",
    re.IGNORECASE,
)
# "in two sentences", "一段"
_SENTENCES = re.compile(
    r"\b(?:sentences?|paragraphs?|prose|sätzen?|absatz|fließtext)\b|句话|段话|一段",
    re.IGNORECASE,
)


class Style(Enum):
    """The form in which several facts are written: one a line, or one after the other as sentences."""

    LIST = "list"
    SENTENCES = "sentences"


class Limit(NamedTuple):
    """The length that an instruction asks for, in ``token``, ``word`` or ``character``."""

    amount: int
    unit: str


class Entry(NamedTuple):
    """One text to summarize. ``role`` is a message role, ``summary`` for what an earlier summary held,
    or empty where nobody is named."""

    role: str
    text: str


def entries_of(source: SummarySource) -> tuple[Entry, ...]:
    """Return the previous summary, if there is one, and the messages: what :func:`entries_in` finds in their prompt."""
    entries = []
    if source.previous is not None:
        entries.append(Entry("summary", source.previous.strip()))
    for message in source.messages:
        entries.append(Entry(message.role, transcript_text(message).strip()))
    return tuple(_drop_empty(entries))


def entries_in(messages: Sequence[Message]) -> tuple[Entry, ...]:
    """Return the entries that the prompt ``messages`` holds, oldest first, without the instruction.

    Read are: one user message with an instruction, a blank line and lines ``role: content``; a system
    message with the instruction and a user message with a transcript; an instruction and messages as XML, as LangChain
    writes them; messages and the instruction behind them, as LlamaIndex asks for facts; and, failing all, the messages
    themselves as the conversation.
    """
    instructed = len(messages) > 1 and messages[0].role == "system"
    body = messages[1:] if instructed else messages
    asks_behind = _asks_behind(messages)
    if asks_behind:
        body = messages[:-1]
    # Several messages are the conversation itself; a single one holds it as text.
    if asks_behind or len(body) > 1:
        entries = (Entry(message.role, message.content) for message in body)
        return tuple(_drop_empty(entries))
    text = body[0].content if body else ""
    if not instructed:
        text = _cut_instruction(text)
    if _XML_MESSAGE.match(text):
        return tuple(_drop_empty(_split_xml_entries(text)))
    return tuple(_drop_empty(_split_entries(text, summary_first=instructed)))


def asked_limit(messages: Sequence[Message]) -> Limit | None:
    """Return the length that the instruction of ``messages`` asks for: "at most 60 words"; of several the last, which
    ``summary_words`` adds. What is summarized may say such a thing as well and is not obeyed."""
    return _limit_in(instruction_of(messages)) if messages else None


def instruction_of(messages: Sequence[Message]) -> str:
    """Return the instruction of the prompt ``messages``, without what is to be summarized."""
    if _asks_behind(messages):
        return messages[-1].content
    text = messages[0].content if messages else ""
    if not messages or messages[0].role == "system":
        return text
    return text[: len(text) - len(_cut_instruction(text))]


def _asks_behind(messages: Sequence[Message]) -> bool:
    """Return true if the last message is the instruction, and those before it are what was said."""
    return len(messages) > 1 and "<existing_facts>" in messages[-1].content


def asked_style(messages: Sequence[Message]) -> Style:
    """Return a list, unless the instruction of ``messages`` asks for sentences ("in two or three sentences")."""
    return _style_in(instruction_of(messages))


@lru_cache(maxsize=64)
def _style_in(text: str) -> Style:
    if _SENTENCES.search(text) and not _LIST.search(text):
        return Style.SENTENCES
    return Style.LIST


@lru_cache(maxsize=64)  # many requests, few instructions
def _limit_in(text: str) -> Limit | None:
    limits = list(_LIMIT.finditer(text))
    if not limits:
        return None
    # 50 words, or 200字: the number stands in one of two groups.
    amount, unit, asian_amount, asian_unit = limits[-1].groups()
    if asian_unit == "단어":
        unit = "word"
    elif asian_unit:
        unit = "character"
    return Limit(max(1, int(amount or asian_amount)), unit.lower())


def _cut_instruction(text: str) -> str:
    """Return the text behind the instruction: it ends at a blank line, unless the first line is an entry already."""
    if _ENTRY.match(text):
        return text
    xml = _XML_MESSAGE.search(text)
    entry = _ENTRY.search(text)
    if xml and (entry is None or xml.start() < entry.start()):
        return text[xml.start() :]
    blank = _BLANK_LINE.search(text)
    if blank is None:
        return text
    body = text[blank.end() :]
    first = _ENTRY.search(body)  # an instruction may have paragraphs of its own
    return body[first.start() :] if first else body


def _split_entries(text: str, summary_first: bool) -> Iterator[Entry]:
    """Yield the parts ``role: content`` of a transcript; a heading before the first of them is left out."""
    starts = list(_ENTRY.finditer(text))
    if not starts:
        yield Entry("", text)
        return
    for index, start in enumerate(starts):
        stop = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        role = start.group(1)
        content = text[start.end() : stop].rstrip()
        if content.endswith('"'):
            content = _CLOSING_QUOTE.sub("", content)
        content = content.strip()
        # A summary of what was before stands first, as a system message.
        old = _OLD_SUMMARY.match(content) if index == 0 and role == "system" else None
        if old:
            role = "summary"
            content = content[old.end() :]
        elif summary_first and index == 0 and role == "system":
            role = "summary"
        yield _unless_summary(index, Entry(role, content))


def _split_xml_entries(text: str) -> Iterator[Entry]:
    """Yield the messages of a text, each with the calls that it makes."""
    for number, xml_message in enumerate(_XML_MESSAGE.finditer(text)):
        role, inside = xml_message.groups()
        content_match = _XML_CONTENT.search(inside)
        calls = [
            f" [calls {name} {arguments}]"
            for name, arguments in _XML_CALL.findall(inside)
        ]
        content = (
            (content_match.group(1) if content_match else "") + "".join(calls)
            if calls
            else inside
        )
        yield _unless_summary(
            number, Entry(_XML_ROLES.get(role, role), unescape(content))
        )


def _unless_summary(number: int, entry: Entry) -> Entry:
    """Return the entry; the summary that it holds where it is the first one and LangChain's heading says so."""
    if number or not entry.text.startswith(_SUMMARY_TO_DATE):
        return entry
    return Entry("summary", entry.text.removeprefix(_SUMMARY_TO_DATE).strip())


def _drop_empty(entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.text.strip())
