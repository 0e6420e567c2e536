"""Solvers: ridge, lasso, proximal gradient, logistic regression, trees, and inner folds to choose by."""
