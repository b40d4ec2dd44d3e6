"""The formats that conversations come in: one module each, found by scanning this folder, and what several share."""
