"""Recordings: what a real model answered, kept in a file that is played back without a key and without a network."""

from memviz.models.recordings.bundled import recordings
from memviz.models.recordings.player import RecordedModel
from memviz.models.recordings.recording import Recording

__all__ = ["RecordedModel", "Recording", "recordings"]
