"""Templates of exported code: real Python files that the writer puts together to one file for a setting.

A file with the name of a target (``llamaindex.py``) has its programs; ``<target>_<id>.py`` has one for a single
strategy, where its words would clash with the others'. ``rules.py`` has the rules of strategies, each as a class
``MemoryFor<Id>`` that needs nothing of memviz. A strategy with neither a rule nor something of its own in a target's
file has no code there.

A template is written as the exported file should read. On the way there:

- What the last lines of the target's file lead to is copied, also from other templates, and nothing else.
- A name that ends with ``_for_<id>`` (of a class: ``For<Id>``) stands under its name without that ending in the program
  for this strategy, in place of what has the name itself. Token counters, and the libraries' ways to ask a summarizer,
  end in the same way.
- A class that is derived from one of another template is written as one class.
- Constants (names in capital letters) get the values of the setting; their comments stay.
- ``DIFFERENCES`` are sentences on where a program differs from what memviz simulated, each behind the ids of the
  strategies that it is said of; ``any_rule`` is every one whose rule runs in the target's general program. They go into
  the comment on top, those of imported templates behind the others.

Nothing in memviz imports these files: they need libraries that memviz does not.
"""
