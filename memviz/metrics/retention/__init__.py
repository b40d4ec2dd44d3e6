"""Numbers about facts: ``retention`` (which of them a request holds), ``life_lines`` (when they were lost),
``survival``, ``message_facts``, ``tool_facts``, and ``proposed_probes`` (which facts a conversation states)."""
