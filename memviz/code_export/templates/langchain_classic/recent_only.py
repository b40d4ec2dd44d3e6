"""Plain Python, as for any rule, and why LangChain's own class will not do."""

from memviz.code_export.templates.langchain_classic.any_rule import main

DIFFERENCES = ["The class that comes nearest, ConversationBufferWindowMemory, keeps exchanges but writes no summaries."]


if __name__ == "__main__":
    main()
