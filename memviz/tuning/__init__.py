"""The search for a setting: a grid of settings measured over conversations, priced, and
judged.

Begin with ``sweep`` (``sweep``), ``Sweep`` (``results``), ``Cell`` (``cell``),
``Recommendation`` (``recommendation``) and ``PricingAssumptions``
(``pricing_assumptions``); ``design`` (``design``) searches a memory for a budget; ``why`` answers
why a statement was forgotten (``forgotten``) and what would have kept it (``remedies``);
``executors`` are where cells are worked off, ``cluster`` one that may be gone, which
``cluster_replay`` has replays made by; ``fleet`` sweeps over thousands of conversations.
Nothing here knows a database or a page.

Open to other rooms: ``background``, ``best_of_each``, ``candidates``, ``cautions``,
``cluster``, ``cluster_replay``, ``constraints``, ``design``, ``estimates``, ``executors``, ``figures``,
``fleet.opening``,
``fleet.results``, ``fleet.sweeping``, ``forgotten``, ``grid``, ``grounds``, ``holdout``, ``pace``, ``paid``,
``pareto``, ``pricing_assumptions``, ``recommendation``, ``recorded``, ``results``, ``scaling``,
``sweep``, ``sweep_conversation``, ``sweep_progress``, ``why``.
"""
