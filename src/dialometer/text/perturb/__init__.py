"""Responses spoilt on purpose, one file per family; ``PERTURBATIONS`` is the menu."""

from dialometer.text.perturb.kinds import Others, Perturbation
from dialometer.text.perturb.menu import PERTURBATIONS

__all__ = ["PERTURBATIONS", "Others", "Perturbation"]
