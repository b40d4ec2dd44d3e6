"""Numbers about answers: how right they are, and from where in the context they come."""
