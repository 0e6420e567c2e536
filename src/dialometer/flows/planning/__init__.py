"""The steps of ``power``: what was asked, the scores of two metrics, and how a grid is kept."""
