"""The page Fleet: how settings do over all conversations of a sweep that was written to a folder."""

from memviz.core import page_titles
from memviz.core.translation import _
from memviz.dashboard.ui.fleet.page import fleet_page
from memviz.dashboard.ui.shell.frame import open_page
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost

open_page(
    _("How do these settings do over all conversations?"),
    _(
        "Thousands of conversations, each {replay} under every {setting}: how the numbers are spread, and where they "
        "are worst.",
        replay=term("replay", _("replayed")),
        setting=term("setting"),
    ),
    Lost(
        _(
            "Look first at the chart: each row is a setting, and the longer its line, the more conversations differ."
        ),
        _(
            "Choose what is measured, then open one of the worst conversations in {compare} with a click.",
            compare=_(page_titles.COMPARE),
        ),
        _(
            "It answers whether a setting that is good on average fails some of your conversations, and which."
        ),
    ),
)
fleet_page()
