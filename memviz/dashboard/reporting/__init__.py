"""Files that leave memviz: reports, tables, requests and pictures of runs. No page is known here."""
