"""Numbers about money: ``pricing`` (rates of a model), ``cost`` (what a run costs), ``estimate`` (what work is
likely to cost) and ``bounds`` (what it costs at most)."""
