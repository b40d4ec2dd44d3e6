"""A dictionary that keeps what was used last."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from memviz.core.recently_used import RecentlyUsed


def kept(entries: RecentlyUsed[str, int], keys: str) -> str:
    return "".join(key for key in keys if entries.get(key) is not None)


def test_the_entry_that_was_not_used_for_the_longest_time_makes_room() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(2)
    entries.put("a", 1)
    entries.put("b", 2)
    assert entries.get("a") == 1
    entries.put("c", 3)
    assert kept(entries, "abc") == "ac"
    entries.put("a", 4)
    entries.put("d", 5)
    assert kept(entries, "abcd") == "ad"
    assert entries.get("a") == 4


def test_a_value_is_changed_or_removed_where_it_is_kept() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(2)
    entries.put("a", 1)
    for key in "ab":
        entries.change(key, lambda value: value + 1)
    assert (entries.get("a"), entries.get("b")) == (2, None)
    for key in "ab":
        entries.remove(key)
    assert len(entries) == 0


def test_threads_share_it() -> None:
    entries: RecentlyUsed[int, int] = RecentlyUsed(8)
    entries.put(0, 0)

    def work(number: int) -> None:
        for at in range(500):
            entries.change(0, lambda value: value + 1)
            entries.get(0)
            entries.put(1 + (at + number) % 4, at)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert entries.get(0) == 4 * 500
    assert len(entries) == 5


def test_heavy_entries_leave_room_for_fewer_but_the_last_one_stays() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(10, 5, lambda value: value)
    for key, weight in (("a", 2), ("b", 2), ("c", 2)):
        entries.put(key, weight)
    assert kept(entries, "abc") == "bc"
    entries.put("d", 50)
    assert kept(entries, "abcd") == "d"
    assert entries.keys_where_value(lambda value: value > 5) == ["d"]
    assert entries.remove_where_key(lambda key: key == "d") == [50]
    assert len(entries) == 0


def test_a_peek_is_no_use_and_waits_for_nobody() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(2)
    entries.put("a", 1)
    entries.put("b", 2)
    assert entries.peek("a") == 1
    # Others wait while a value is changed; a peek would wait here for ever.
    entries.change("b", lambda value: value + (entries.peek("a") or 0))
    entries.put("c", 3)
    assert (entries.peek("a"), entries.peek("b")) == (None, 3)
