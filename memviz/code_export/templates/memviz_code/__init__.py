"""memviz itself."""
