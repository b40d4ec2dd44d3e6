"""Charts of message fates: the memory map and the life of one message."""
