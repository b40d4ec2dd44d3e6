"""Mappings: where the messages of any log lie, declared as data instead of programmed.

Begin with ``FileMapping`` (``declaration``), which has a YAML form, and ``MappedReader`` (``interpreter``), which reads
a file by it; ``known`` holds the mappings of well-known logs, ``guess`` makes one for a file that nobody knows.
"""
