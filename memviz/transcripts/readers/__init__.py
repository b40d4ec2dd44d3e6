"""The formats that conversations come in: a folder for each vendor that has several files, found by scanning them.
Beside the folders lies what readers of several vendors share."""
