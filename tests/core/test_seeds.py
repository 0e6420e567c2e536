"""Seeds: the same for the same place, of their own for every context, whatever stands beside it."""

from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.seeds import derived, seeds_for, streams
from dialometer.core.types import Turn


def said(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


def test_by_hand():
    """The first 8 bytes of BLAKE2b over the parts, least byte first, without the last bit."""
    words = blake2b(b"7\x1fopener\x1f3", digest_size=8).digest()
    assert derived(7, "opener", 3) == int.from_bytes(words, "little") // 2


@given(st.integers(), st.lists(st.text() | st.integers(), max_size=3))
def test_a_derived_seed_fits_a_generator(seed, place):
    made = derived(seed, *place)
    assert made == derived(seed, *place)
    assert 0 <= made < 2**63
    np.random.default_rng(made)


def test_places_have_seeds_of_their_own():
    seeds = {derived(seed, side, turn) for seed in range(20) for side in "ab" for turn in range(50)}
    assert len(seeds) == 20 * 2 * 50


def test_half_a_surrogate_pair_is_a_place_too():
    assert derived(0, "\ud800") != derived(0, "\udfff")


def test_a_context_keeps_its_seed_in_any_company():
    contexts = [said("hi"), said("tea ?", "yes"), (), said("tea ?")]
    seeds = seeds_for(5, contexts)
    assert len(set(seeds)) == 4
    assert seeds_for(5, contexts[::-1]) == seeds[::-1]
    assert [seeds_for(5, [context])[0] for context in contexts] == seeds
    assert not set(seeds) & set(seeds_for(6, contexts))


def test_the_speaker_does_not_matter_and_the_border_of_turns_does():
    assert seeds_for(0, [(Turn("ann", "hi"),)]) == seeds_for(0, [(Turn("bob", "hi"),)])
    assert seeds_for(0, [said("ab", "c")]) != seeds_for(0, [said("a", "bc")])


def test_a_context_that_comes_again_has_another_seed():
    first, second, third = seeds_for(0, [said("hi")] * 3)
    assert len({first, second, third}) == 3
    assert seeds_for(0, [said("hi"), said("tea"), said("hi")])[2] == second


def test_given_seeds_are_taken_as_they_are():
    contexts = [said("hi"), said("hi")]
    assert seeds_for([4, 4], contexts) == [4, 4]
    assert seeds_for(np.array([4, 9]), contexts) == [4, 9]
    assert seeds_for((), []) == []
    with pytest.raises(ValueError, match="1 seeds for 2 contexts"):
        seeds_for([4], contexts)


def test_a_number_of_numpy_is_one_seed():
    assert seeds_for(np.int64(3), [said("hi")]) == seeds_for(3, [said("hi")])


def test_streams_are_those_of_numpy_and_take_any_number():
    assert streams([11])[0].integers(1000, size=5).tolist() == np.random.default_rng(11).integers(1000, size=5).tolist()
    below, above = streams([-1, 2**70 + 1])
    assert below.integers(2**40) != above.integers(2**40)
