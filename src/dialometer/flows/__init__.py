"""One file per verb: the only place where skills meet."""
