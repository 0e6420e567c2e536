"""A bidirectional LSTM in plain numpy, gates in torch's order (input, forget, cell, output), for comparison."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def one_way(words, weights, side):
    w, u, b, c = (
        weights[f"enc_lstm.{name}_l0{side}"].astype(float) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    dim = u.shape[1]
    hidden, cell, states = np.zeros(dim), np.zeros(dim), []
    for word in words.astype(float):
        i, f, g, o = np.split(w @ word + b + u @ hidden + c, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        states.append(hidden)
    return np.array(states)


def both_ways(words, weights):
    """(time, 2 dim): forward and backward states side by side."""
    return np.concatenate([one_way(words, weights, ""), one_way(words[::-1], weights, "_reverse")[::-1]], axis=1)


def random_weights(rng, inner, dim):
    shapes = {"weight_ih": (4 * dim, inner), "weight_hh": (4 * dim, dim), "bias_ih": (4 * dim,), "bias_hh": (4 * dim,)}
    return {
        f"enc_lstm.{name}_l0{side}": rng.normal(scale=0.5, size=shape).astype(np.float32)
        for side in ("", "_reverse")
        for name, shape in shapes.items()
    }
