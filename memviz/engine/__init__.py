"""The only place where things happen: replay, live chat, recall, and the records of both."""
