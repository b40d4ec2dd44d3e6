"""All that is looked at: charts, the stage, lessons, the field guide, what leaves as a
file, and the pages.

``words`` says what metrics found, ``charts`` makes figures of numbers, ``stage`` plays
a run step by step, ``guide`` and ``lessons`` explain, ``reporting`` writes files,
``notebooks`` outputs of cells, and ``ui`` alone knows Streamlit. The files of the
server itself (app.py, navigation.py, pages/ and .streamlit/) lie where
:func:`dashboard_folder` says.

Open to other rooms: ``charts.sweeps.measure_words``, ``lessons``, ``lessons.claims``,
``lessons.html``, ``lessons.lesson``, ``lessons.library``, ``lessons.study``,
``notebooks.frame``, ``reporting.report``, ``reporting.run_tables``, ``reporting.sweep_json``,
``words.compactions``, ``words.estimates``, ``words.health``, ``words.prices``,
``words.warning``, ``words.why``.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = (
    _PACKAGE / "_dashboard"
)  # hatch_build.py puts them here when a wheel is built


def dashboard_folder() -> Path:
    """The folder with app.py: in a checkout the repository's, else one inside the
    installed package."""
    return _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
