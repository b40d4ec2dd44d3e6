"""Templates of exported code: real Python files that the writer puts together to one file for a setting.

``rules/<id>.py`` is the rule of a strategy as a class ``Memory`` that needs nothing of memviz. A folder for each
library has ``<id>.py``, a program for a strategy that the library can run itself, and ``any_rule.py``, a program for
any strategy with a rule. A strategy without a file has no code for that library.

A template is written as the exported file should read. On the way there:

- What it imports from other templates is copied in, as far as it is used.
- Constants (names in capital letters) get the values of the setting; their comments stay.
- ``DIFFERENCES`` says where the program differs from what memviz simulated, and goes into the comment on top. Those of
  imported templates follow. They may ask for the values of constants.
- ``rule``, ``counter``, ``summarizer`` and ``sending`` are replaced by the files for the setting and the library.

Nothing in memviz imports these files: they need libraries that memviz does not.
"""
