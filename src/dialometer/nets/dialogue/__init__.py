"""Networks of dialogue: data, layers, one network a file, likelihood, decoding, training."""
