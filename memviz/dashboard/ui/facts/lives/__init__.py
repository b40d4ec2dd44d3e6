"""Facts, as lives: from the message that stated a fact to the summarization that lost it."""
