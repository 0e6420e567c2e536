"""The command line: one file per verb, named as its flow."""
