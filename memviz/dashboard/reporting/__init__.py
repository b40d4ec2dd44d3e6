"""What leaves memviz as a file: reports, tables, requests and pictures of runs. No page is known here."""
