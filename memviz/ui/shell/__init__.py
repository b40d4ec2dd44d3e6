"""The base of every page: its frame and navigation, errors, links, and the state of a browser session."""
