"""The token counters: an encoding of tiktoken, and estimates under their own names."""
