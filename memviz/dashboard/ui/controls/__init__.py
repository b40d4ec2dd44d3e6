"""Pieces that several pages share: the sidebar of a study, replays, models, jobs that ask them, the request inspector.

Begin with ``compare_state`` (``study``), ``studied_conversation`` (``conversations``), ``study_controls`` and
``setting_runs`` (``sidebar``), ``run_key`` and ``make_runs`` (``replaying``), ``ModelChoice`` (``pickers``), ``Job``
and ``watch`` (``jobs``). The room imports no page.
"""
