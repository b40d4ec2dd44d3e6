"""SummarizationMiddleware, by messages. It acts from the trigger on, memviz past its limit: hence the 1."""

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
BUFFER_SIZE = 4  # messages

DIFFERENCES = [
    "It looks before each call of the model. memviz looks after each message, so it may summarize at the answer "
    "already.",
    "The summary itself counts as one of the messages, so from the second time on it may summarize one message "
    "earlier.",
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
                trigger=("messages", 2 * BUFFER_SIZE + 1),
                keep=("messages", BUFFER_SIZE),
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
