"""Reading text without a model: words, sentences, and whether a text contains an answer.

Both the offline model and the metrics build on it. ``words`` gives stems, ``sentences`` splits a text and caches what
is known of each sentence, ``clauses`` splits a sentence and leaves courtesies out, ``traits`` says what a sentence
tells. ``terms`` and ``containment`` compare answers with texts; ``values`` gives each amount, date, time, number and
code one spelling. ``vocabulary`` and ``value_words`` hold the word lists, ``phrases`` the offline model's own
sentences.
"""
