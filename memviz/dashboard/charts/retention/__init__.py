"""Charts of the facts that a model could still know."""
