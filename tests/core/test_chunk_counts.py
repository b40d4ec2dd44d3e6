"""Tokens counted by chunks are those that the tokenizer gives for the whole text."""

from hypothesis import example, given
from hypothesis import strategies as st

from memviz.core import counters
from memviz.core.chunk_counts import ChunkCounts
from tests.tables import for_each

PIECES = (
    "He", "paid", "(in", "cash).", "3,600", "€", "it's", "don't'LL", "'s", "x=1", "...", "\n", "\n\n", "\r\n", "\t",
    " ", "  ", "   ", "é", "中文", "，", "🙂", "👨‍👩‍👧", "한국", "\u00a0", "\u3000", "\u2028", "\x1c", "\x85", "/", "://a.b",
    "-", "--", "“", "A", "ABC", "aB", "̈", "\u200b", "_", "\x00", "<|endoftext|>",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from((*PIECES, *[" "] * 20)), max_size=16).map("".join)
ENCODINGS = for_each("name", counters.ENCODING_FILES)


@given(text=TEXTS | st.text(max_size=40))
@example(text="He paid (in cash).  Then \n he left. ")
@ENCODINGS
def test_chunks_have_the_tokens_of_the_text(name: str, text: str) -> None:
    counted = counters.counter(name)(text)
    assert counted == len(counters._encode(name)(text))


def test_a_chunk_is_tokenized_once() -> None:
    asked = []

    def count(text: str) -> int:
        asked.append(text)
        return 1

    counts = ChunkCounts(count)
    assert counts.units("He paid and paid and left.") == 6
    assert counts.units("He left.") == 2
    assert asked == [" paid", " and", " left.", "He"]
