"""Numbers about facts.

- ``retention``: which of them a request holds; ``life_lines``: when they were lost.
- ``survival``: how long they last; ``message_facts``: those of a message not sent whole.
- ``polarity``: whether a text asserts or denies; ``denial_patterns``, ``update_cues``: words that say so;
  ``negatives``: what is a negative itself.
- ``tool_facts``, ``tool_argument_recall``: values from tools, and arguments of calls.
- ``proposed_probes``: which facts a conversation states.
"""
