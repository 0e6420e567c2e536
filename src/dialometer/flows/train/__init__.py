"""train: fit a bot, an encoder or a metric on text."""
