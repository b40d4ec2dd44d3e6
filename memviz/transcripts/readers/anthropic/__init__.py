"""Files of Anthropic's API, Claude Code and Claude.ai."""
