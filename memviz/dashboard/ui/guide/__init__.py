"""The page of the field guide."""
