"""What is there to learn?"""

import streamlit as st

from memviz.ui.lessons.address import keep_address, open_address
from memviz.ui.lessons.player import play_lesson
from memviz.ui.lessons.shelf import shelf, upload
from memviz.ui.lessons.writing import own_lesson
from memviz.ui.shell.errors import errors_shown
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.state import lessons_state
from memviz.ui.shell.text import plain
from memviz.ui.shell.views import begin_at_top

state = lessons_state()
with errors_shown():
    lesson = open_address(workspace(), state)
if lesson is not None:
    open_page(plain(lesson.title.said(state.language)))
    begin_at_top()
    play_lesson(workspace(), state, lesson)
else:
    open_page(
        "What do you want to learn?",
        "A few minutes each: predict what a memory does, then see it on a real conversation. Or write a lesson of your "
        "own.",
    )
    begin_at_top()
    shelf(workspace(), state)
    with st.sidebar:
        upload(workspace(), state)
    own_lesson(workspace(), state)
keep_address(state)
