"""The rule of each strategy as a class ``Memory``: ``append`` every message, send what ``context`` gives."""
