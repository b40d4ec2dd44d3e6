"""Values as values: what counts as the same in both directions, and what only looks alike."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import example, given
from hypothesis import strategies as st

from memviz.core.text import values
from memviz.core.text.containment import contains
from memviz.core.text.letters import remove_inflection
from memviz.core.text.value_words import number_of_word
from memviz.core.text.values import unify_values
from tests.tables import for_each

SAME = (
    # amounts
    ("3k", "3000"),
    ("3,000", "3000"),
    ("€3k", "3,000 euros"),
    ("3 million dollars", "$3,000,000"),
    ("2.50 euros", "€2.5"),
    ("20%", "20 percent"),
    ("三千元", "3000元"),
    ("3万元", "30,000 yuan"),
    ("一千二百", "1200"),
    ("40 GB", "40GB"),
    # times
    ("17:30", "5:30 pm"),
    ("17:30", "5.30 p.m."),
    ("17 Uhr", "5 pm"),
    ("17h30", "17:30"),
    ("下午5点半", "17:30"),
    ("12 am", "0:00"),
    # dates
    ("12 May 1990", "1990-05-12"),
    ("May 12th, 1990", "12.05.1990"),
    ("12 de maio de 1990", "12 May 1990"),
    ("12. Mai 1990", "1990年5月12日"),
    ("12/05/1990", "12 May 1990"),
    ("25/12/2026", "December 25, 2026"),
    ("五月十二日", "12 May"),
    # telephone numbers
    ("+351 912 345 678", "912345678"),
    ("+44 (0)20 7946 0958", "020 7946 0958"),
    ("(415) 555-2671", "+1 415 555 2671"),
    # codes
    ("QX7-R4M", "QX7R4M"),
    ("QX7 R4M", "QX7R4M"),
    ("PT-58231", "PT 58231"),
    ("v2.1", "2.1"),
    # letters
    ("João", "Joao"),
    ("Łódź", "Lodz"),
    ("預算", "预算"),
    # numbers in words
    ("thirteen", "13"),
    ("twenty-five", "25"),
    ("three thousand two hundred", "3,200"),
    ("dreiundzwanzig", "23"),
    ("vinte e cinco", "25"),
    ("trente-deux", "32"),
    ("treinta y dos", "32"),
    ("ventuno", "ventuno"),
    ("十三", "13"),
    # inflections
    ("peanut", "peanuts"),
    ("allergies", "allergy"),
    ("hiking", "hike"),
    ("cancelled", "cancel"),
)


@for_each(("one", "other"), SAME)
def test_a_value_is_known_however_it_is_written(one: str, other: str) -> None:
    assert contains(f"As I said: {one}, and that is it.", other)
    assert contains(f"As I said: {other}, and that is it.", one)


@for_each(
    ("text", "answer"),
    [
        ("Mark my words, it will rain.", "Mark"),
        ("Please mark the date.", "Mark"),
        ("May I ask something?", "May"),
        ("You may go.", "May"),
        ("Will you come?", "Will"),
        ("We meet in Room 1042A.", "1042"),
        ("We meet in Room 1042.", "1042A"),
        ("The price is $3,000.", "€3,000"),
        ("It is 3,000 dollars.", "3,000 euros"),
        ("We start at 17:30.", "30"),
        ("We start at 17:30.", "17"),
        ("We start at 5:30 am.", "17:30"),
        ("We run version 2.10.", "2.1"),
        ("We run version 2.1.", "2.10"),
        ("Born on 12 May 1991.", "12 May 1990"),
        ("Born on 12 June 1990.", "1990-05-12"),
        ("The code is QX7-R4M.", "R4M"),
        ("The invoice is INV-1042.", "1042"),
        ("Call +351 912 345 678.", "678"),
        ("Luca was here.", "Lucas"),
        ("Lucas was here.", "Luca"),
        ("It was a fine evening.", "even"),
        ("The budget is 13,000.", "13"),
        ("三亚很好", "3"),
        ("总预算变成46万元了", "46"),
    ],
)
def test_what_only_looks_alike_is_not_the_same(text: str, answer: str) -> None:
    assert not contains(text, answer)


@for_each(
    ("text", "answer"),
    [
        ("My brother is called Mark.", "Mark"),
        ("Mark lives in Porto.", "Mark"),
        ("I will ask Will tomorrow.", "Will"),
        ("The trip is in May.", "May"),
        ("May 2027 would be good.", "May"),
        ("She was born on 12 May.", "May"),
        ("We run version 2.10.", "2.10"),
        ("We meet on 12 May 1990.", "12 May"),
        ("We meet on 12 May 1990.", "1990"),
        ("Room 1042A", "1042a"),
        ("The budget is 3,000, nothing else.", "€3,000"),
        ("x@example.com wrote", "x@example.com"),
    ],
)
def test_what_is_said_is_found(text: str, answer: str) -> None:
    assert contains(text, answer)


@for_each(
    ("text", "plain"),
    [
        ("no value at all", "no value at all"),
        (
            "https://example.com/2024-05-12/17:30",
            "https://example.com/2024-05-12/17:30",
        ),
        ("2019-2021", "2019 2021"),
        ("192.168.1.10", "192.168.1.10"),
        ("march 5 miles", "march 5 miles"),
    ],
)
def test_what_is_no_value_stays(text: str, plain: str) -> None:
    assert unify_values(text) == plain


@for_each(
    ("word", "number"),
    [
        ("dreizehn", 13),
        ("zweihundertfunfzig", 250),
        ("dreitausend", 3000),
        ("tausend", 1000),
        ("seize", 16),
        ("einundzwanzig", 21),
        ("wenig", None),
        ("honig", None),
        ("jahrhundert", None),
        ("one", None),
        ("due", None),
    ],
)
def test_a_number_word_is_its_number(word: str, number: int | None) -> None:
    assert number_of_word(word) == number


@for_each(
    ("word", "base"),
    [
        ("movies", "movy"),
        ("movie", "movy"),
        ("boxes", "box"),
        ("running", "run"),
        ("moved", "move"),
        ("james", "james"),
        ("glass", "glass"),
        ("string", "string"),
        ("tomatoes", "tomato"),
        ("shoes", "shoe"),
        ("agreed", "agree"),
    ],
)
def test_only_simple_endings_are_taken_off(word: str, base: str) -> None:
    assert remove_inflection(word) == base


@given(st.text(alphabet="0123456789 :./-+€,kMaypm三万年月日点T()", max_size=40))
def test_any_value_is_read_without_error(text: str) -> None:
    assert isinstance(unify_values(text), str)


@given(st.lists(st.text(alphabet="0123456789 :./-+€,kMaypm月日(", max_size=12)))
@example(["on 3", "May 1990"])
@example(["call 555", "123 4567"])
def test_no_value_goes_across_the_end_of_a_line(lines: list[str]) -> None:
    stretch = "\n".join(lines)
    at_once = values._value_pattern().sub(values._spell_value, stretch)
    assert values._spell_stretch(stretch) == at_once


def test_the_converter_of_chinese_is_loaded_for_chinese_only() -> None:
    script = (
        "import sys; from memviz.core.text.containment import contains; assert contains('peanuts', 'peanut');"
        "assert 'opencc' not in sys.modules; assert contains('預算', '预算'); assert 'opencc' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
