"""Models that answer and summarize, what they cost, and access to the server.

Begin with ``Model``, ``ModelRequest``, ``Reply`` and ``ModelWrapper`` (``base``),
``model`` (``registry``), ``LiteLLMModel`` (``litellm_client``) and ``Budgeted``
(``budgeted``). ``offline`` is the built-in model that needs no network, ``recordings`` plays
what a model answered once, ``local_servers`` finds models on this machine, ``access``
knows the switches and the password of the server, ``class_door`` the code of a class and
its visitors, ``newcomers`` how many come at once, ``identities`` visitors whom a provider or
a proxy knows. Nothing here knows a run, a database or a page.

Open to other rooms: ``access``, ``base``, ``budget``, ``budgeted``, ``cache_rules``,
``class_door``, ``connection_check``, ``embedding``, ``environment``, ``identities``, ``line``,
``local_servers``, ``names``, ``newcomers``,
``offline``, ``planned_calls``, ``prices``, ``provider_keys``, ``recordings.bundled``,
``recordings.files``, ``recordings.player``, ``recordings.recorder``,
``recordings.recording``, ``redaction``, ``registry``, ``scripted``, ``shared_budget``, ``tools``,
``visitor_limits``.
"""
