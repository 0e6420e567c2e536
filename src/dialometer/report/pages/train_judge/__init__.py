"""The report, the card and the sentences of a trained judge."""
