"""The offline model: no key, no network, no chance. It summarizes by choosing sentences and answers by quoting."""

from memviz.models.offline.model import VERSION, OfflineModel

__all__ = ["VERSION", "OfflineModel"]
