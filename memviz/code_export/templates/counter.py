"""The setting's token counter takes the place of this file; as it stands here, it is an encoding."""

from memviz.code_export.templates.counters.encoding import count_tokens, token_ids

__all__ = ["count_tokens", "token_ids"]
