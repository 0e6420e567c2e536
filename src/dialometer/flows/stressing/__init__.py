"""The steps of ``stress``: spoil responses, read what the metrics made of them, judge it, show it."""
