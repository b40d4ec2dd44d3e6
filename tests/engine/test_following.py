"""A replay that goes on while its conversation grows is that of the whole conversation."""

from __future__ import annotations

from random import Random
from typing import Any

import memviz
from memviz.engine.following import Following
from memviz.engine.replay import setting_for
from memviz.engine.run import Run
from memviz.strategies.base import Trigger
from memviz.transcripts.samples import sample
from tests.engine.probes import REPRESENTATIVES, small
from tests.tables import for_each


def without_seconds(value: Any) -> Any:
    """A run as JSON without how long each summary took."""
    if isinstance(value, dict):
        return {
            name: without_seconds(one)
            for name, one in value.items()
            if name != "seconds"
        }
    if isinstance(value, list):
        return [without_seconds(one) for one in value]
    return value


def same(one: Run, other: Run) -> bool:
    return bool(without_seconds(one.to_dict()) == without_seconds(other.to_dict()))


@for_each("id", [id for id in REPRESENTATIVES if small(id).trigger is not Trigger.TURN])
@for_each("name", ["trip", "agent"])
def test_however_it_grows_the_run_is_that_of_all_at_once(id: str, name: str) -> None:
    transcript = sample(name)
    rule = small(id)
    random = Random(name + id)
    following = Following(setting_for(transcript, rule))
    at = 0
    while at < len(transcript.messages):
        more = random.choice((1, 1, 2, 3, 5))
        following.add(transcript.messages[at : at + more])
        at += more
        following.run()
        if random.random() < 0.1 and at > 6:
            # The newest messages became others.
            at = min(at, len(transcript.messages)) - random.choice((1, 2, 3))
            following.keep(at)
    assert same(following.run(), memviz.replay(transcript, rule))
