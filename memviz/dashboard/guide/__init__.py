"""The field guide: what each strategy says of itself, with an example of it at work, and what the words mean."""
