"""ConversationSummaryBufferMemory, the class that comes nearest."""

from langchain_classic.chat_models import init_chat_model
from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.language_models import BaseChatModel

from memviz.code_export.templates.counter import token_ids
from memviz.code_export.templates.langchain_classic.asking_by_tokens import ask
from memviz.code_export.templates.langchain_classic.summary_prompt import PROMPT

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries
TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False

DIFFERENCES = [
    "The summary does not count toward max_token_limit here. In memviz's chat summary buffer it does, so requests grow "
    "by the summary.",
    *(
        ["LangChain cannot count the system prompt against the limit: lower max_token_limit by its size."]
        if COUNT_INITIAL_TOKENS
        else []
    ),
]


def build_memory(llm: BaseChatModel) -> BaseChatMemory:
    return ConversationSummaryBufferMemory(
        llm=llm,
        max_token_limit=TOKEN_LIMIT,
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
