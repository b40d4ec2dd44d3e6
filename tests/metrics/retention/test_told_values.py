"""What somebody only thinks about is no value."""

from memviz import Message
from memviz.metrics.retention.proposed_probes import propose_probes
from tests.tables import for_each

MUSING = (
    "She keeps saying",
    "He told me that", "They suggest that", "They suggested that", "I am not sure", "I have no idea",
    "I wonder", "I was wondering", "I keep thinking about", "It would help, as", "I am tempted, for", "Last time",
    "I used to say that", "It bothers me that", "I ignored that", "In theory", "In general", "People say", "As a child",
    "When I was young,", "I remember that",
)  # fmt: skip


@for_each("musing", ["", *MUSING])
def test_musings_state_nothing(musing: str) -> None:
    said = f"{musing} there are 14 guests in the house."
    messages = [
        Message("user", said),
        Message("assistant", "Good."),
        Message("user", "Yes."),
    ]
    proposed = any("14" in probe.answers[0] for probe in propose_probes(messages))
    assert proposed is (not musing)
