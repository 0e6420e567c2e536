"""Pictures of results. Matplotlib lives here and nowhere else."""
