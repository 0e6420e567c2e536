"""Perturbations of responses, one file per family; ``PERTURBATIONS`` lists them."""

from dialometer.text.perturb.catalogue import PERTURBATIONS
from dialometer.text.perturb.kinds import Others, Perturbation

__all__ = ["PERTURBATIONS", "Others", "Perturbation"]
