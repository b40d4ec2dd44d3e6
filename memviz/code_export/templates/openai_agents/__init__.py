"""The OpenAI Agents SDK: a session, and what of it is sent."""
