"""The only place where things happen: replay, live chat, recall, and the records of
both.

Begin with ``replay`` (``replay``), ``Session`` (``session``, over the ``State`` below
it), ``assemble`` (``assembly``), ``count_tokens_by_part`` (``part_tokens``), ``build_context``
(``blocks``), ``Run`` (``run``) and ``Compaction`` (``compaction``).
``ChatMemory`` (``chat_memory``) is the same for one's own program. The engine asks a
strategy, calls the summarizer and the model, and keeps what came of it; it knows no
prices, no database and no page.

Open to other rooms: ``answering``, ``asking``, ``assembly``, ``background_replay``,
``backoff``, ``calls``, ``chat``, ``chat_memory``, ``columns``, ``compaction``,
``drafts``, ``following``, ``free_run``, ``generations``, ``in_thread``,
``joined_requests``, ``judging``, ``memory_config``, ``part_tokens``, ``parts``, ``persistence``, ``planned_recalls``,
``prompt_trial``, ``recall``, ``recall_tokens``, ``recalling``, ``recording``,
``records``, ``replay``, ``review``, ``run``, ``run_frame``, ``run_record``,
``schema_counts``, ``session``, ``setting``, ``state``, ``stored``, ``switching``,
``tool_pairs``.
"""
