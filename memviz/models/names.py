"""Names of models that are no provider's, and whose tokenizer a counter is."""

from functools import lru_cache

from memviz.core.translation import _, noop

DEFAULT_MODEL = "openai/gpt-5-mini"
"""The model whose prices, cache and context window count until another one is chosen; exported code names it too."""
OFFLINE = "offline"
STAND_IN = noop("built-in model")
"""What the offline model is called wherever a person reads of it; its name stays what programs call it by."""
RECORDING = "recording:"
"""The prefix of the name or the path of a recording in place of a model's name: ``recording:trip``."""

RECORDED_FIRST = noop("recorded, else built-in")
"""In place of a model's name on a page: a recording where one was made for exactly what is shown, else the offline
built-in model. What holds where a link, or a visitor, names no model."""


def in_words(name: str) -> str:
    """The words that a person reads for the model of this name."""
    return _(STAND_IN) if name == OFFLINE else name


def is_free(name: str) -> bool:
    """Return whether the model of this name costs nothing and needs no network: the offline one, or a recording."""
    return name in (OFFLINE, RECORDED_FIRST) or name.startswith(RECORDING)


MEASURED = {
    "smollm2": noop(
        "it counted 1.04 to 1.25 times as many of English text as o200k_base, and 2.08 times of Chinese"
    ),
}
"""What a model's own tokenizer counted beside memviz, by a part of the model's name (docs/local-models.md)."""


@lru_cache(maxsize=256)
def counter_of_model(model: str) -> str | None:
    """Return the name of the counter that counts as ``model`` does, by its name; ``None`` where memviz has none, as for
    Claude, Gemini and Llama."""
    import tiktoken  # knows OpenAI's models

    provider, _, name = model.rpartition("/")
    if provider not in ("", "openai", "azure"):
        return None
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        return None


def approximation(model: str, counter: str) -> str:
    """Return the sentence that says that counts with ``counter`` are approximate for ``model``, with the measured
    factor where it is known; an empty text where they are the model's own."""
    if not (model and counter) or counter == counter_of_model(model):
        return ""
    factor_words = next(
        (words for part, words in MEASURED.items() if part in model.casefold()), ""
    )
    if factor_words:
        return _(
            "All tokens are approximate: {counter} is not the tokenizer of {model} ({known}).",
            counter=counter,
            model=model,
            known=_(factor_words),
        )
    return _(
        "All tokens are approximate: {counter} is not the tokenizer of {model}.",
        counter=counter,
        model=model,
    )
