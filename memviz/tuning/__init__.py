"""The search for a setting: settings are measured over conversations, priced, compared, and one is recommended.

How a sweep runs through this room:

1. ``sweep`` is ``memviz.sweep``. ``grid`` expands lists of values to settings; ``sweeping`` measures each over each
   conversation, in this process, in others or on a cluster (``executors``, ``cluster``), to a ``Cell`` (``cell``).
2. ``results`` makes tables of the cells (``Sweep``), priced by ``pricing_assumptions``, in the columns of ``measures``.
3. ``constraints`` chooses the best row, and ``recommendation`` and ``best_of_each`` say why in words.

Further searches: ``design`` finds a memory for a budget; ``why`` answers why a statement was forgotten (``forgotten``)
and what would have kept it (``remedies``); ``fleet`` sweeps over thousands of conversations; ``cluster_replay`` has a
single replay done by a cluster. Nothing here knows a database or a page.

Open to other rooms: ``background``, ``best_of_each``, ``candidates``, ``cautions``,
``cluster``, ``cluster_replay``, ``constraints``, ``design``, ``estimates``, ``executors``, ``figures``,
``fleet.opening``,
``fleet.results``, ``fleet.sweeping``, ``forgotten``, ``grid``, ``grounds``, ``holdout``, ``measures``, ``pace``,
``paid``, ``pareto``, ``pricing_assumptions``, ``recommendation``, ``recorded``, ``results``, ``scaling``,
``sweep``, ``sweep_conversation``, ``sweep_progress``, ``sweeping``, ``why``.
"""
