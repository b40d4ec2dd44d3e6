"""What Open WebUI writes."""
