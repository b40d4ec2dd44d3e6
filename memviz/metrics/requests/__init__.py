"""Numbers about requests: ``request_axis`` (where they stand), ``traffic`` (what is billed), ``shared_prefix`` (what a
cache reuses), ``request_table`` (what they hold), ``limits``, ``token_use``, ``refused`` and ``said_and_sent``."""
