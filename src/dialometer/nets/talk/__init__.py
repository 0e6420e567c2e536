"""Networks that talk: symbols, batches of conversations, shared layers, one network a file, likelihood, decoding, learning."""
