"""Responses spoilt on purpose, one file per family; ``PERTURBATIONS`` is the menu."""

from dialometer.text.perturb.catalogue import PERTURBATIONS
from dialometer.text.perturb.kinds import Others, Perturbation

__all__ = ["PERTURBATIONS", "Others", "Perturbation"]
