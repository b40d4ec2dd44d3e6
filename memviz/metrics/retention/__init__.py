"""Numbers about facts.

- ``retention``: which of them a request holds; ``life_lines``: when they were lost.
- ``survival``, ``message_facts``: how long they last, and which a message states.
- ``tool_facts``, ``tool_argument_recall``: values from tools, and arguments of calls.
- ``proposed_probes``: which facts a conversation states.
"""
