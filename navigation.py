"""Navigation of the dashboard, and nothing else."""

from memviz.ui.shell.frame import navigate

navigate()
