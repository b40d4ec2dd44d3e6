"""The values that everything else is about, and reading text without a model.

Begin with ``Message`` (``messages``), ``Log`` (``conversation``), ``Memory``
(``memory``), the pieces of a request (``pieces``) and ``counter`` (``counters``);
errors that a user can cause are in ``errors`` (those of models in ``model_errors``, of the
database in ``storage_errors``), how large things from outside may be in
``bounds``. ``text`` reads texts: sentences, values, whether an answer is contained, and
wording. The room imports no other room.

Open to other rooms: ``background``, ``bounds``, ``context``, ``conversation``,
``counters``, ``division``, ``errors``, ``fact_index``, ``facts``, ``file_places``,
``fingerprint``, ``forms``, ``importance``, ``memory``, ``message_fields``, ``messages``,
``model_errors``, ``new_file``,
``notebook_output``, ``page_titles``, ``pieces``, ``plain_yaml``, ``process_memory``,
``recently_used``, ``server_events``, ``shared_growth``, ``small_embedding``, ``storage_errors``,
``summaries``, ``text.answer_forms``, ``text.chunks``, ``text.clauses``,
``text.containment``, ``text.letters``, ``text.phrases``, ``text.sentences``,
``text.terms``, ``text.visible``,
``text.vocabulary``, ``text.wording``, ``text.words``, ``token_sums``, ``tool_links``,
``tool_schemas``, ``translation``, ``turns``, ``vectors``, ``word_index``, ``zstandard``.
"""
