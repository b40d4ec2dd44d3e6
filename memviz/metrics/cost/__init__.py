"""Numbers about money: prices, prompt caching, estimates."""
