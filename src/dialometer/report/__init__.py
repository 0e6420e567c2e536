"""Pictures and pages of results. Matplotlib lives here and nowhere else."""
