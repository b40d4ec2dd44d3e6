"""A conversation held with the rule itself."""

from memviz.code_export.templates.rule import Memory


def main() -> None:
    memory = Memory()
    for role, content in [
        ("user", "Hello, my name is Ada."),
        ("assistant", "Hello Ada, how can I help?"),
        ("user", "What is my name?"),
    ]:
        memory.append({"role": role, "content": content})
    for message in memory.context():  # send these to your model, and append its answer
        print(f"{message['role']}: {message['content']}")


if __name__ == "__main__":
    main()
