"""What calls have cost: quantiles of the time they took."""

from dialometer.bots._adapters.usage import quantile


def test_quantiles_by_hand():
    assert quantile([float(i) for i in range(1, 101)], 0.95) == 95
    assert quantile([5.0], 0.5) == 5
