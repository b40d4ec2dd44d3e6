"""Navigation of the dashboard, and nothing else."""

from memviz.dashboard.ui.shell.frame import navigate

navigate()
