"""The setting's rule takes the place of this file; as it stands here, it is the running summary's."""

from memviz.code_export.templates.rules.summary import Memory

__all__ = ["Memory"]
