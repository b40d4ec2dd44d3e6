"""The search for a setting: a grid of settings measured over conversations, priced, and
judged.

Begin with ``sweep`` (``sweep``), ``Sweep`` (``results``), ``Cell`` (``cell``),
``Recommendation`` (``recommendation``) and ``PricingAssumptions``
(``pricing_assumptions``); ``executors`` are where cells are worked off. Nothing here
knows a database or a page.

Open to other rooms: ``best_of_each``, ``cautions``, ``constraints``, ``grid``, ``grounds``, ``pace``, ``paid``,
``pareto``, ``pricing_assumptions``, ``recommendation``, ``results``, ``scaling``,
``sweep``, ``sweep_conversation``.
"""
