"""Pages of commands: what a result says, as sentences, tables and charts; one folder per command."""
