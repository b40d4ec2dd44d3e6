"""The names by which tests know pages and views, with their titles and addresses."""

QUESTIONS = {
    "compare": "What does each strategy send?",
    "summaries": "How did the memory change?",
    "memory_map": "What became of every message?",
    "retention": "Which facts could the model still know?",
    "costs": "What does it cost, turn by turn?",
    "tune": "Which setting should you take?",
    "chat": "What does the model still know?",
    "lessons": "What do you want to learn?",
    "library": "Which conversations are there?",
    "guide": "How does each strategy remember?",
    "live": "What is in the window right now?",
    "fleet": "How do these settings do over all conversations?",
}
"""The title of each page, and of each view of a page."""
ADDRESSES = {
    "costs": ("compare", "dollars"),
    "memory_map": ("compare", "memory_map"),
    "retention": ("facts", "lives"),
    "summaries": ("facts", "summaries"),
}
"""Of a view: its page, and what the address names it."""
PLAYED_LESSONS = ("a-fact-dies", "which-strategy-for-your-program")
"""The lessons that a browser plays, for all go through the same page."""
