"""What is in the window right now?"""

from memviz.core import page_titles
from memviz.core.translation import _
from memviz.dashboard.ui.live.page import live_page
from memviz.dashboard.ui.shell.frame import open_page
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost

open_page(
    _("What is in the window right now?"),
    _(
        "Conversations of programs that are running, as they grow: how full the window is, and when the next "
        "{compaction} comes.",
        compaction=term("compaction"),
    ),
    Lost(
        _(
            "Look first at the bar: so much of its window the program uses, and below it stands when it compacts next."
        ),
        _(
            "Choose another conversation in the list, or open it in {compare} with the button at the end.",
            compare=_(page_titles.COMPARE),
        ),
        _(
            "It answers what fills the window of a program at work, and what its last compaction took away."
        ),
    ),
)
live_page()
