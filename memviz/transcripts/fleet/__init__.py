"""Fleets: thousands of conversations, read one after the other from files that together fit into no memory.

Begin with ``Fleet`` (``source``), which yields its conversations unread, an ``Item`` each; ``read_item``
(``reading``) reads one of them, in whichever process. ``addresses`` finds the files, ``rows`` takes rows out of them.
"""
