"""A summarizer for each library, for the rules that summarize, and patience with one that fails."""

import logging

import litellm
from langchain.chat_models import init_chat_model
from openai import OpenAI

from memviz.code_export.templates.http_model import complete

SUMMARIZER_MODEL = "gpt-5-mini"  # writes the summaries


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return complete(SUMMARIZER_MODEL, messages)


def summarize_for_langchain(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return str(init_chat_model(SUMMARIZER_MODEL).invoke(messages).text)


def summarize_for_openai(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return OpenAI().responses.create(model=SUMMARIZER_MODEL, input=messages).output_text


def summarize_for_litellm(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return litellm.completion(model=SUMMARIZER_MODEL, messages=messages).choices[0].message.content


class PatientSummarizer:
    """Asks the model for summaries. After n failures in a row it waits 2^n turns, at most 32, before it asks again."""

    def __init__(self) -> None:
        self.failures = 0  # in a row
        self.next_turn = 0  # the model is not asked before this turn

    def ask(self, messages: list[dict], turn: int) -> str | None:
        """The summary, or None while it waits and when the model fails: then nothing is lost."""
        if turn < self.next_turn:
            return None
        try:
            text = summarize(messages).strip()
        except Exception:
            logging.exception("Nothing was summarized.")
            text = ""
        if text:
            self.failures = 0
            return text
        self.failures += 1
        self.next_turn = turn + min(2**self.failures, 32)
        return None


def write_line(message: dict) -> str:
    """A message as the summarizer reads it."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    called = "".join(f" [calls {call['name']} {call['arguments']}]" for call in calls)
    return f"{message['role']}: {message['content'] or ''}{called}"
