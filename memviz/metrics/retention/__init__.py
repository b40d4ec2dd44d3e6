"""Numbers about facts: which of them a request still holds, when they were lost."""
