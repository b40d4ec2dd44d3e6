"""The values that everything else is about, and reading text without a model.

Begin with ``Message`` (``messages``), ``Log`` (``conversation``), ``Memory``
(``memory``), the pieces of a request (``pieces``) and ``counter`` (``counters``);
errors that a user can cause are in ``errors``, how large things from outside may be in
``bounds``. ``text`` reads texts: sentences, values, whether an answer is contained, and
wording. The room imports no other room.
"""
