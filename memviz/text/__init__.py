"""Reading text without a model: words, sentences, stop words, and whether a text contains an answer."""
