"""AutoGen: the context of an agent."""
