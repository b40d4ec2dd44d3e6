"""What uses of ConversationSummaryBufferMemory share."""

from langchain_core.prompts import PromptTemplate

INSTRUCTION = "Write one concise summary of the conversation below."
PROMPT = PromptTemplate.from_template(
    INSTRUCTION.replace("{", "{{").replace("}", "}}")
    + "\n\nSummary so far:\n{summary}\n\nNew messages:\n{new_lines}\n\nNew summary:"
)

DIFFERENCES = [
    "When the summarizer fails, the messages that were to be summarized are lost: they are gone from chat_memory and "
    "in no summary. memviz keeps them and tries again 2 turns later, then 4, and so on up to 32.",
    "The summary is a system message with the bare text, in front of the messages.",
    "The summarizer reads the messages as 'Human: ...' and 'AI: ...', in one text with the instruction.",
]
