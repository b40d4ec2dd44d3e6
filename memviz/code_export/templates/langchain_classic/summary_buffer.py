"""ConversationSummaryBufferMemory."""

from langchain_classic.chat_models import init_chat_model
from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.language_models import BaseChatModel

from memviz.code_export.templates.counter import token_ids
from memviz.code_export.templates.langchain_classic.asking_by_tokens import ask
from memviz.code_export.templates.langchain_classic.summary_prompt import PROMPT

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries
MAX_TOKEN_LIMIT = 500  # tokens

DIFFERENCES = [
    "memviz cuts back to half of the limit, so that it summarizes seldom. LangChain cuts back to the limit itself: "
    "once it is reached, every turn calls the summarizer, and more is kept word for word.",
]


def build_memory(llm: BaseChatModel) -> BaseChatMemory:
    return ConversationSummaryBufferMemory(
        llm=llm,
        max_token_limit=MAX_TOKEN_LIMIT,
        prompt=PROMPT,
        return_messages=True,
    )


def main() -> None:
    llm = init_chat_model(MODEL)
    memory = build_memory(init_chat_model(SUMMARIZER_MODEL, custom_get_token_ids=token_ids))
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(llm, memory, question))


if __name__ == "__main__":
    main()
