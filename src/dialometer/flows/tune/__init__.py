"""tune: hyper-parameters of AM-FM against ratings."""
