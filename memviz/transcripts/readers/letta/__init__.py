"""What Letta writes."""
