"""SummarizationMiddleware, which the strategy was made after."""

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from memviz.code_export.templates.langchain_middleware.counting import count_messages

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
TRIGGER = [{"tokens": 4000}]  # one of these is enough, and of each all has to be reached
KEEP = ("messages", 20)
SUMMARIZER_READS_TOKENS = 4000  # tokens; 0: everything
INSTRUCTION = "Write one concise summary of the conversation below."
SUMMARY_PROMPT = INSTRUCTION.replace("{", "{{").replace("}", "}}") + "\n\n{messages}"

DIFFERENCES = [
    "memviz always sends the input. LangChain may send its summary alone, where a threshold is reached within what the "
    "user just said.",
    "LangChain goes on with an empty summary where the answer is empty. memviz then changes nothing.",
    "A summarizer that fails is asked up to three times, and then the whole call of the agent fails. In memviz the "
    "request is sent with all messages, and the summarizer is asked again 2 turns later, then 4, and so on up to 32. "
    "Nothing is lost either way.",
    "It also summarizes when the provider reports that many tokens; memviz counts the texts of messages alone.",
    "What was summarized is removed from the agent's state. memviz never removes anything.",
    "A system message that the agent's state begins with is summarized like any other. In memviz it is a system prompt "
    "and always sent: give it as system_prompt.",
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
                trigger=TRIGGER or None,
                keep=KEEP,
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=SUMMARIZER_READS_TOKENS or None,
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
