"""Charts of what each request sent."""
