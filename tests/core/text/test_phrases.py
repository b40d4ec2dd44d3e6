"""The words by which somebody admits not to know."""

from memviz.core.text.phrases import admits_ignorance
from tests.tables import for_each


@for_each(
    "sentence",
    [
        "I don't know the code.",
        "I DON’T REMEMBER",
        "We are not sure of it.",
        "There is no record of a booking.",
        "Nothing in the context I was sent says that.",
        "The bundled model cannot work it out.",
        "我不知道。",
        "这个不清楚。",
        "没有提到价格。",
        "自带的模型只会引用原话。",
    ],
)
def test_somebody_admits_not_to_know(sentence: str) -> None:
    assert admits_ignorance(sentence)


@for_each("sentence", ["I know the code.", "Not a cloud in the sky."])
def test_somebody_who_knows_does_not(sentence: str) -> None:
    assert not admits_ignorance(sentence)
