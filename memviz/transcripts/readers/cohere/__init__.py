"""What Cohere's chat API takes and answers."""
