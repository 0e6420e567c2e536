"""One file per metric that is counted, or fitted without human ratings."""
