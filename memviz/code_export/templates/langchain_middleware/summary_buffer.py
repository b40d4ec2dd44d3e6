"""SummarizationMiddleware, by tokens. It acts from the trigger on, memviz past its limit: hence the 1."""

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from memviz.code_export.templates.langchain_middleware.counting import count_messages
from memviz.code_export.templates.langchain_middleware.summary_prompt import SUMMARY_PROMPT

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
MAX_TOKEN_LIMIT = 500  # tokens

DIFFERENCES = [
    "It looks before each call of the model. memviz looks after each message, so it may summarize at the answer "
    "already.",
    "The summary counts toward the limit that triggers. In memviz it does not, so LangChain summarizes more often.",
    "It also summarizes when the provider reports that many tokens for the last call. There the system prompt, the "
    "tools and the answer count as well.",
]


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
                trigger=("tokens", MAX_TOKEN_LIMIT + 1),
                keep=("tokens", max(1, MAX_TOKEN_LIMIT // 2)),
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
