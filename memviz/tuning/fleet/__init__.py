"""A sweep over a fleet: every setting over each of thousands of conversations, as numbers in a folder of Parquet.

Begin with ``FleetSweeping`` (``sweeping``), which does it batch by batch and goes on after a stop. A batch is measured
by ``measure_batch`` (``batches``), in whichever process; ``tables`` says what the columns are, and ``folder`` keeps
the batches that are finished.
"""
