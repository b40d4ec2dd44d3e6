"""SummarizationMiddleware, by tokens. It acts from the trigger on, memviz past its limit: hence the 1."""

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from memviz.code_export.templates.counter import count_tokens
from memviz.code_export.templates.langchain_middleware.counting import count_messages
from memviz.code_export.templates.langchain_middleware.summary_prompt import SUMMARY_PROMPT

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False

DIFFERENCES = [
    "The first message kept may be an assistant's. memviz folds those into the summary as well.",
    "The sentence in front of the summary counts as well.",
]


def room() -> int:
    """Tokens for the summary and the messages."""
    return TOKEN_LIMIT - (count_tokens(SYSTEM_PROMPT) if COUNT_INITIAL_TOKENS and SYSTEM_PROMPT else 0)


def build_agent(
    model: str | BaseChatModel = MODEL, summarizer: str | BaseChatModel = SUMMARIZER_MODEL
) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[
            SummarizationMiddleware(
                model=summarizer,
                trigger=("tokens", room() + 1),
                keep=("tokens", room()),
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=None,  # the default of 4000 cuts off the oldest part: the summary so far
            )
        ],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def main() -> None:
    agent = build_agent()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        answer = agent.invoke({"messages": [HumanMessage(question)]}, {"configurable": {"thread_id": "1"}})
        print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()
