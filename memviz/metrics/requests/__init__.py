"""Numbers about requests, read off the records of a run:

- ``traffic``: the tokens that a provider bills, of which ``shared_prefix`` and ``shared_ranges`` count those that its
  cache can serve; ``sent_requests`` are requests as they lie beside each other in that cache.
- ``request_table``: the messages and summaries that each request holds, and ``other_words`` for what is no message of
  the log; ``message_text``: the text of a message.
- ``token_use``: tokens of a whole run, and limits; ``broken_pairs``: requests that a provider refuses.
- ``request_axis`` and ``request_places``: where a request stands in the conversation and on charts.
"""
