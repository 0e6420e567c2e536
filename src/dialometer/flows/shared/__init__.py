"""Steps that several commands use."""
