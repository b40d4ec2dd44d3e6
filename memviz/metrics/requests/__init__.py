"""Numbers about requests: tokens, what two of them share, traffic."""
