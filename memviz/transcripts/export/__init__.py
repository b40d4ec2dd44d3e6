"""Writing a conversation in a format that memviz and others read."""
