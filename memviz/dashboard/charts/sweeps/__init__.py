"""Charts of sweeps: many settings side by side."""
