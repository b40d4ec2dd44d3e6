"""Compare, in tokens: what each request sent and where it was summarized."""
