"""A chat loop of one's own with memviz's memory; any strategy runs in it."""

import memviz

MODEL = "openai/gpt-5-mini"  # answers in the chat
SUMMARIZER = "openai/gpt-5-mini"  # writes the summaries
COUNTER = "o200k_base"
SYSTEM_PROMPT = "Be kind."
REPAIR_TOOL_PAIRS = True  # leave out tool calls without results, and results without calls: providers refuse both

strategy = memviz.strategy("buffer")
memory = memviz.ChatMemory(
    strategy,
    model=SUMMARIZER,
    counter=COUNTER,
    system_prompt=SYSTEM_PROMPT,
    repair_tool_pairs=REPAIR_TOOL_PAIRS,
)


def ask(question: str) -> str:
    """Send what the memory gives for this question, and remember the answer."""
    memory.append({"role": "user", "content": question})
    reply = memviz.model(MODEL).complete(memory.load())
    memory.append({"role": "assistant", "content": reply.text})
    return reply.text


def main() -> None:
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(question))


if __name__ == "__main__":
    main()
