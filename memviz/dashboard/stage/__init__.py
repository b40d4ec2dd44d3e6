"""The stage: a player that walks through the requests of some settings, message by message, in a page or a file."""
