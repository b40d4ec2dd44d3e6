"""Numbers about facts: which ones a conversation states, and which ones its requests know.

- ``retention`` looks facts up in all requests of a run; its result is a ``Retention`` (``knowledge``). ``life_lines``
  tells when each fact was lost and why, ``survival`` how long facts last, ``message_facts`` what became of the facts of
  a message that is not sent whole.
- ``probe_texts`` finds answers in texts, by ``probe_phrases``. An answer only counts if the text affirms it:
  ``polarity`` judges that, with ``denial_patterns``, ``update_cues``, ``endings``, ``corrections``, ``negatives`` and
  ``unsettled``.
- ``proposed_probes`` proposes facts to ask for, of the values that people state (``told_values``, with the modules
  ``*_kinds`` and ``chinese_*``) and that replace each other (``changed_values``), and of tools (``tool_facts``).
- ``tool_argument_recall``: whether the arguments of tool calls were in the request.
"""
