"""Navigation of the dashboard, and nothing else."""

from memviz.dashboard.ui.shell.frame import navigate


def draw_class_line() -> None:
    """Draw the line of a class above a page. Only a server with a class needs what draws it."""
    from memviz.dashboard.ui.lessons.class_line import class_line

    class_line()


navigate(draw_class_line)
