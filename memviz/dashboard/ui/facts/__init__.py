"""The page Facts: which facts the model could still know."""
