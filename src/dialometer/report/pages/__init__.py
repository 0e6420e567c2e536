"""Pages of the commands: blocks out of typed results."""
