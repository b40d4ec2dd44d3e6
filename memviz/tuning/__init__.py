"""Which strategy, and which parameters: a grid of settings measured over conversations, priced, and judged."""
