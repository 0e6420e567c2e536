"""PCA against scikit-learn, up to the sign of axes."""

import numpy as np
from sklearn.decomposition import PCA

from dialometer.judges._bilinear.pca import Pca


def test_against_scikit_learn():
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 6)) + 3
    made, oracle = Pca.fit(vectors, 4), PCA(4).fit(vectors)
    np.testing.assert_allclose(np.abs(made.apply(vectors)), np.abs(oracle.transform(vectors)), atol=1e-8)
    assert Pca.fit(vectors, 99).width == 6
