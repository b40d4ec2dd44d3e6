"""The page Guide: the strategies, one of them in full, or the glossary."""

from memviz.dashboard.guide.strategies import page_of
from memviz.dashboard.ui.guide.strategy_cards import strategy_list
from memviz.dashboard.ui.guide.strategy_page import strategy_page
from memviz.dashboard.ui.guide.views import (
    GLOSSARY,
    glossary_view,
    guide_views,
    keep_address,
    open_address,
    say_problem,
)
from memviz.dashboard.ui.shell.frame import open_views
from memviz.dashboard.ui.shell.views import GUIDE_VIEW

address = open_address()
page = page_of(address.strategy)
view = open_views(GUIDE_VIEW, guide_views(page))
say_problem(address)
keep_address(view, address)
if view == GLOSSARY:
    glossary_view(address.term)
elif page is None:
    strategy_list()
else:
    strategy_page(page)
