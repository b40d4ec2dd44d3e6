"""Navigation of the dashboard, and nothing else."""

from memviz.dashboard.ui.shell.frame import navigate

if (
    __name__ == "__main__"
):  # a worker process of a sweep imports this file under another name, and shows no page
    navigate()
