"""Trees of messages: the way to a leaf, also where the tree is broken."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memviz.transcripts.readers.message_trees import branch, leaves


def test_the_way_from_the_root() -> None:
    tree = {"a": None, "b": "a", "c": "b", "d": "b"}
    assert branch("d", tree) == (["a", "b", "d"], False)
    assert leaves(tree) == ["c", "d"]


def test_a_parent_that_is_not_there_ends_the_way() -> None:
    assert branch("b", {"b": "gone"}) == (["b"], False)
    assert branch("gone", {"b": None}) == ([], False)


def test_a_cycle_ends_and_is_told() -> None:
    assert branch("b", {"a": "b", "b": "a"}) == (["a", "b"], True)
    assert branch("a", {"a": "a"}) == (["a"], True)
    assert leaves({"a": "b", "b": "a"}) == ["a", "b"]


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.none() | st.sampled_from("abcdefg"), min_size=1
    )
)
def test_every_way_ends_and_passes_each_message_once(
    tree: dict[str, str | None],
) -> None:
    for leaf in tree:
        path, is_cycle = branch(leaf, tree)
        assert path[-1] == leaf
        assert len(set(path)) == len(path)
        assert all(tree[after] == before for before, after in pairwise(path))
        assert is_cycle == (tree[path[0]] in path)
