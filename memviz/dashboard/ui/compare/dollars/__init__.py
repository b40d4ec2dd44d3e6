"""Compare, in dollars: what each setting costs, with the provider's prompt cache."""
