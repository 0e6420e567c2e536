"""Greedy, beam and drawn speech, against all that could be said."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from scipy.stats import chisquare  # noqa: E402
from torch.nn.functional import log_softmax  # noqa: E402

from dialometer.nets.dialogue.decoding import DecodingOptions, beam_search, draw, generate  # noqa: E402
from dialometer.nets.dialogue.layers import Decoder, SymbolEmbedding  # noqa: E402
from dialometer.nets.training.loop import fork_rng_seeded  # noqa: E402
from dialometer.nets.training.vocabulary import END, UNKNOWN  # noqa: E402
from tests.nets.dialogue.small import SIZES  # noqa: E402

TINY = 5  # symbols: unknown, the end, and three that can be said


def speaker_of(seed, rows=1, symbols=TINY, loud=3.0):
    """Embedding, decoder and its state for rows with different conditioning."""
    with fork_rng_seeded(seed):
        words = SymbolEmbedding(symbols, 4).double()
        speaker = Decoder(words, 3, 5, SIZES).double().eval()
        told = torch.randn(rows, 3, dtype=torch.float64)
        with torch.no_grad():
            for weight in (*words.parameters(), *speaker.parameters()):
                weight.add_(torch.randn_like(weight) * loud / 4)
    return speaker, words, *speaker.initial_state(told)


def run(how, seed, *more, rows=1, symbols=TINY, **options):
    with torch.inference_mode():
        return how(*speaker_of(seed, rows, symbols), *more, **options)


def next_logs(speaker, words, state, added, said):
    """log p of what may follow ``said``: UNKNOWN never, END not first."""
    heard = END
    for symbol in (*said, None):
        scores, state = speaker.step(words, torch.tensor([heard]), state, added)
        heard = symbol
    scores[:, UNKNOWN] = -torch.inf
    if not said:
        scores[:, END] = -torch.inf
    return log_softmax(scores, dim=1)[0]


@cache
def everything(seed, limit):
    """All that can be said within the limit, with its mean log p and its probability; best first."""
    parts = speaker_of(seed)
    logs = {said: next_logs(*parts, said) for long in range(limit) for said in product(range(2, TINY), repeat=long)}
    found = []
    for long in range(1, limit + 1):
        for said in product(range(2, TINY), repeat=long):
            total = sum(logs[said[:at]][said[at]].item() for at in range(long))
            if long < limit:
                total, long_now = total + logs[said][END].item(), long + 1
            else:
                long_now = long
            found.append((total / long_now, list(said), np.exp(total)))
    return sorted(found, key=lambda entry: -entry[0])


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_a_beam_of_one_is_greedy(seed, limit):
    way = DecodingOptions(limit=limit)
    greedy = run(generate, seed, way, rows=5, symbols=9)
    assert [[one] for one in greedy] == run(beam_search, seed, way, 1, rows=5, symbols=9)
    for said in greedy:
        assert 1 <= len(said) <= limit
        assert not {UNKNOWN, END} & set(said)


@pytest.mark.parametrize("seed", range(6))
def test_greedy_says_the_likeliest_symbol_each_time(seed):
    parts = speaker_of(seed)
    (said,) = run(generate, seed, DecodingOptions(limit=5))
    for at in range(min(len(said) + 1, 5)):
        best = next_logs(*parts, tuple(said[:at])).argmax().item()
        assert best == (said[at] if at < len(said) else END)


@pytest.mark.parametrize("seed", range(8))
def test_a_beam_that_holds_all_finds_the_best(seed):
    wanted = everything(seed, limit=4)
    assert sum(entry[2] for entry in wanted) == pytest.approx(1), "everything that can be said"
    found = run(beam_search, seed, DecodingOptions(limit=4), 200)[0]
    assert found == [said for _, said, _ in wanted]


@pytest.mark.parametrize("width", [2, 3, 5])
def test_a_beam_says_different_things_best_first(width):
    values = {}
    for seed in range(4):
        found = run(beam_search, seed, DecodingOptions(limit=4), width)[0]
        value = {tuple(said): mean for mean, said, _ in everything(seed, limit=4)}
        assert len({tuple(said) for said in found}) == len(found) <= width
        scores = [value[tuple(said)] for said in found]
        assert scores == sorted(scores, reverse=True)
        values[seed] = scores[0]
    greedy = [run(generate, seed, DecodingOptions(limit=4))[0] for seed in values]
    means = [{tuple(s): m for m, s, _ in everything(seed, limit=4)}[tuple(said)] for seed, said in enumerate(greedy)]
    assert sum(values.values()) >= sum(means), "looking around pays"


def test_rows_of_a_beam_do_not_meet():
    together = run(beam_search, 3, DecodingOptions(limit=6), 4, rows=7, symbols=9)
    speaker, words, state, added = speaker_of(3, 7, 9)
    with torch.inference_mode():
        for row in range(7):
            mine = slice(row, row + 1)
            alone = beam_search(
                speaker, words, tuple(part[mine] for part in state), added[mine], DecodingOptions(limit=6), 4
            )
            assert alone == together[row : row + 1]


def kept(probabilities, top_k, top_p):
    """The likeliest symbols, at most k, as few as hold p."""
    order = sorted(range(len(probabilities)), key=lambda symbol: -probabilities[symbol])[: top_k or None]
    chosen, mass = [], 0.0
    for symbol in order:
        if mass >= top_p:
            break
        chosen.append(symbol)
        mass += probabilities[symbol]
    return chosen


PROBABILITIES = np.array([0.05, 0.30, 0.02, 0.25, 0.20, 0.18])


@pytest.mark.parametrize("top_k", [0, 1, 2, 3, 6, 50])
@pytest.mark.parametrize("top_p", [0.01, 0.29, 0.31, 0.6, 0.9, 0.97, 0.99, 1.0])
@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_top_k_and_top_p_keep_exactly_the_right_set(top_k, top_p, temperature):
    tempered = PROBABILITIES ** (1 / temperature)
    tempered /= tempered.sum()
    wanted = kept(tempered, top_k, top_p)
    uniforms = (np.arange(4000) + 0.5) / 4000
    way = DecodingOptions("sample", top_k=top_k, top_p=top_p, temperature=temperature)
    drawn = draw(torch.from_numpy(np.log(PROBABILITIES)).expand(4000, -1), way, uniforms).numpy()
    shares = np.bincount(drawn, minlength=6) / 4000
    expected = np.where(np.isin(np.arange(6), wanted), tempered, 0)
    assert np.abs(shares - expected / expected.sum()).max() <= 1 / 4000, "each drawn as often as it is probable"
    assert set(drawn.tolist()) == set(wanted)


def test_the_ends_of_a_stream():
    scores = torch.tensor([[-torch.inf, 2.0, 1.0, -torch.inf]])
    for way in (DecodingOptions("sample"), DecodingOptions("sample", top_k=2), DecodingOptions("sample", top_p=0.999)):
        assert draw(scores, way, np.array([0.0])).item() == 1
        assert draw(scores, way, np.array([1 - 2**-53])).item() == 2
    cold = DecodingOptions("sample", temperature=1e-320)
    assert draw(scores, cold, np.array([0.999])).item() == 1


def test_drawn_as_often_as_probable():
    """All utterances of at most three symbols, 20,000 draws, by a chi-square test; its 1e-6 is the risk of a false alarm."""
    wanted = everything(4, limit=3)
    speaker, words, state, added = speaker_of(4)
    rows = 20_000
    uniforms = np.random.default_rng(0).random((rows, 3))
    with torch.inference_mode():
        states, options = tuple(part.expand(rows, -1) for part in state), DecodingOptions("sample", limit=3)
        said = generate(speaker, words, states, added.expand(rows, -1), options, uniforms)
    names = [tuple(one) for _, one, _ in wanted]
    counts = np.array([sum(tuple(one) == name for one in said) for name in names])
    expected = np.array([p for _, _, p in wanted]) * rows
    assert counts.sum() == rows
    assert len(names) == 39
    assert expected.min() > 5, "as the test needs it"
    assert chisquare(counts, expected * rows / expected.sum()).pvalue > 1e-6


def test_each_row_has_its_own_stream():
    speaker, words, state, added = speaker_of(6, 8, 9)
    with torch.no_grad():
        speaker.bias[END] += 9
    uniforms = np.random.default_rng(2).random((8, 6))
    way = DecodingOptions("sample", limit=6)
    order = np.array([5, 1, 7])
    with torch.inference_mode():
        together = generate(speaker, words, state, added, way, uniforms)
        some = generate(speaker, words, tuple(part[order] for part in state), added[order], way, uniforms[order])
    assert some == [together[row] for row in order]
    assert len({len(one) for one in together}) > 1, "rows that end early leave the others alone"
    assert all(1 <= len(one) <= 6 and not {UNKNOWN, END} & set(one) for one in together)


def test_nothing_may_be_said_where_that_is_allowed():
    speaker, words, state, added = speaker_of(1)
    with torch.no_grad():
        speaker.bias[END] += 50
        assert generate(speaker, words, state, added, replace(DecodingOptions(), least=0)) == [[]]
        assert beam_search(speaker, words, state, added, replace(DecodingOptions(), least=0), 3)[0][0] == []
        assert [len(one) for one in generate(speaker, words, state, added, DecodingOptions())] == [1]
        assert len(beam_search(speaker, words, state, added, DecodingOptions(), 3)[0][0]) == 1
        assert [len(one) for one in generate(speaker, words, state, added, replace(DecodingOptions(), least=4))] == [4]
        speaker.bias[END] -= 200
        speaker.bias[UNKNOWN] += 200
        assert [len(one) for one in generate(speaker, words, state, added, DecodingOptions(limit=9))] == [9]
        assert UNKNOWN not in generate(speaker, words, state, added, DecodingOptions(limit=9))[0]
        assert all(
            UNKNOWN not in said for said in beam_search(speaker, words, state, added, DecodingOptions(limit=9), 4)[0]
        )
