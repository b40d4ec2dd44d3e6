"""What every page stands on: its frame and navigation, errors, links, and the state of a browser session."""
