"""What the command-line tool llm writes."""
