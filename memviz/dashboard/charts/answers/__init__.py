"""Charts of answers that a model gave."""
