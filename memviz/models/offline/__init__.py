"""The offline model: no key, no network, no chance. It summarizes by choosing sentences and answers by quoting."""

from memviz.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
