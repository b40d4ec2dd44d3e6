"""Trees of messages: the way to a leaf, also where the tree is broken."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memviz.transcripts.readers.message_trees import find_leaves, walk_branch


def test_the_way_from_the_root() -> None:
    tree = {"a": None, "b": "a", "c": "b", "d": "b"}
    assert walk_branch("d", tree) == (["a", "b", "d"], False)
    assert find_leaves(tree) == ["c", "d"]


def test_a_parent_that_is_not_there_ends_the_way() -> None:
    assert walk_branch("b", {"b": "gone"}) == (["b"], False)
    assert walk_branch("gone", {"b": None}) == ([], False)


def test_a_cycle_ends_and_is_told() -> None:
    assert walk_branch("b", {"a": "b", "b": "a"}) == (["a", "b"], True)
    assert walk_branch("a", {"a": "a"}) == (["a"], True)
    assert find_leaves({"a": "b", "b": "a"}) == ["a", "b"]


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.none() | st.sampled_from("abcdefg"), min_size=1
    )
)
def test_every_way_ends_and_passes_each_message_once(
    tree: dict[str, str | None],
) -> None:
    for leaf in tree:
        path, is_cycle = walk_branch(leaf, tree)
        assert path[-1] == leaf
        assert len(set(path)) == len(path)
        assert all(tree[after] == before for before, after in pairwise(path))
        assert is_cycle == (tree[path[0]] in path)
