"""The offline model: a built-in model that needs no key and no network, and always says the same to the same messages.

It understands nothing. It answers by quoting sentences of its context and summarizes by choosing clauses.

From a question to the answer:

1. ``asking`` tells what asks from what states something: questions, orders, and work that no quotation is.
2. ``context_sources`` takes each message of the context as a source: who said it, and its sentences.
3. ``question`` reads which words the question is about, and which kind of answer it wants (a date, a number, ...).
4. ``matching`` finds the candidates: sentences that share words with the question. Each gets the share of the question
   that it covers; rare words count more. It refuses those of the wrong kind, such as one without a number where a
   number is asked for.
5. ``replying`` takes the candidate that covers most, or two that belong together, if they cover enough. It quotes
   them, or says why not: nothing was sent about it, no sentence says it, or it cannot work it out.

Where memory's tools are offered, ``tool_use`` first decides whether to call one, and which turns to recall.

From sentences to a summary:

1. ``summary_request`` makes entries (role and text) of the source of the prompt, or parses them out of the prompt, and
   reads which length and form that asks for.
2. ``statements`` makes clauses of them (:mod:`memviz.core.text.clauses`), without greetings, thanks and exclamations.
   ``topics`` reads what a clause speaks of and which values it gives. ``worth`` weighs each: what it tells (numbers,
   names, decisions; see :mod:`memviz.core.text.traits`), who said it, and whether it will hold tomorrow.
3. ``summarizer`` leaves out what a later clause supersedes, takes the best until the budget is used, one of several
   that say the same, and nothing that points back without what it points to. It puts them in their old order, as a
   list or as sentences. ``structured_summary`` writes them for prompts that want facts one by one, or blocks.
"""

from memviz.models.offline.model import VERSION, OfflineModel

__all__ = ["VERSION", "OfflineModel"]
