"""What Anthropic's API, Claude Code and Claude.ai write."""
