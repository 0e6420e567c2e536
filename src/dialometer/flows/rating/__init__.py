"""The steps that ``agree`` and ``meta`` share: rated items, and what raters have in common."""
