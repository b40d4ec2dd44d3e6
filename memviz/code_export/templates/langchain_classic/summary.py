"""Plain Python, as for any rule, and why LangChain's own class will not do."""

from memviz.code_export.templates.langchain_classic.any_rule import main

DIFFERENCES = [
    "The class that comes nearest, ConversationSummaryMemory, calls the summarizer in every turn and keeps no message "
    "word for word."
]


if __name__ == "__main__":
    main()
