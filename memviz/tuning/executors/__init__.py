"""Who does the work of a sweep: this thread, several threads, several processes, or a Dask cluster.

Each module has one ``run``: it takes jobs and the function that does one, and yields what comes back, in the order
in which it does. ``stop`` ends it early: nothing new is begun.
"""
