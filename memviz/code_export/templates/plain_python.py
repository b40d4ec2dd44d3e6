"""A conversation held with the rule itself."""

from memviz.code_export.templates.http_model import complete
from memviz.code_export.templates.rules import Memory

MODEL = "gpt-5-mini"  # answers in the chat


def ask(memory: Memory, question: str) -> str:
    """Send what the memory gives for this question, and remember the answer."""
    memory.append({"role": "user", "content": question})
    reply = complete(MODEL, memory.context())
    memory.append({"role": "assistant", "content": reply})
    return reply


def main() -> None:
    memory = Memory()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(memory, question))


if __name__ == "__main__":
    main()
