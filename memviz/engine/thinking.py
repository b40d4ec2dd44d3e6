"""What the model is told around its rounds of reflective thinking."""

from memviz.core.conversation import Message

THINKING_INSTRUCTION = Message(
    "system",
    "Before you answer, think. Nobody reads these thoughts, and they are not your answer. What does the user want, "
    "what of it do you know from what you were sent, what is missing? Recall it if you can. End every round with "
    "continue_thinking; when you stop, give the summary of this turn that you want to remember it by.",
)
THINKING_ENDED = Message("system", "Your time to think is over. Answer the user now.")
