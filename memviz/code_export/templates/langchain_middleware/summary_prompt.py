"""What all uses of LangChain's SummarizationMiddleware share."""

INSTRUCTION = "Write one concise summary of the conversation below."
SUMMARY_PROMPT = INSTRUCTION.replace("{", "{{").replace("}", "}}") + "\n\n{messages}"

DIFFERENCES = [
    "The summary is a user message that starts with 'Here is a summary of the conversation to date:'. In memviz it "
    "is a system message.",
    "A summarizer that fails is asked up to three times, and then the whole call of the agent fails. In memviz the "
    "request is sent with all messages, and the summarizer is asked again 2 turns later, then 4, and so on up to 32. "
    "Nothing is lost either way.",
    "What was summarized is removed from the agent's state. memviz never removes anything.",
    "A system message that the agent's state begins with is summarized like any other. In memviz it is a system prompt "
    "and always sent: give it as system_prompt.",
]
