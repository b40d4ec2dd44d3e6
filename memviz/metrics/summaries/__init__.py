"""Numbers about summaries: events, differences, where their words come from."""
