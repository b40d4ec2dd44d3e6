"""Navigation of the dashboard, and nothing else."""

from memviz.ui.shell import navigate

navigate()
