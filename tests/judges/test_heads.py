"""The heads that come with the package: they score at once, say what they are, and warn off their domain."""

import json

import numpy as np
import pytest

from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.judges.heads import HEADS
from dialometer.text.corpus import Corpus

pytest.importorskip("torch")
NAMES = ("adem", "autojudge")
CONTEXT = (Turn("u", "Would you like some tea?"),)


def scores(judge, *replies: str) -> np.ndarray:
    items = [Example(f"{n}", CONTEXT, text, ("Yes please, I would love a cup of tea.",)) for n, text in enumerate(replies)]
    return judge.finish(judge.measure(Corpus.build(items)), level="item")[:, 0]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_small_and_has_a_card_with_its_licence(name: str) -> None:
    assert sum(file.stat().st_size for file in (HEADS / name).iterdir()) < 1_000_000
    card = (HEADS / name / "card.md").read_text()
    licence = json.loads((HEADS / name / "thing.json").read_text())["facts"]["licence"]
    assert f"licence: {licence}" in card
    assert f"build_heads.py --only {name}" in card
    assert "report.html" not in card


@pytest.mark.parametrize("name", NAMES)
def test_the_bare_name_scores_on_the_raters_scale(name: str) -> None:
    found = scores(create("metric", name), "Oh yes, tea would be lovely.", "The train leaves at nine tomorrow.", "")
    assert found[0] > found[1] > found[2] == 1
    assert found.max() <= 5


@pytest.mark.parametrize("name", NAMES)
def test_another_option_than_what_can_be_adjusted_needs_training(name: str) -> None:
    assert create("metric", f"{name}(interval=0.9,clip=false)").fitted
    assert not create("metric", f"{name}(pca=7)").fitted


def test_the_recipe_tells_the_options_of_the_head() -> None:
    plain = recipe(create("metric", "adem"))
    assert "variant:reference" in plain
    assert "low:1.0|high:5.0" in plain
    assert "clip:False" in recipe(create("metric", "adem(clip=false)"))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_unlike_its_training_is_told_with_what_it_reached_elsewhere(name: str) -> None:
    odd = ["SELECT * FROM users WHERE id = 7 ;", "0x7f 0x45 0x4c 0x46 0x02", "def f(x): return x ** 2", "$$$ >>> ### ///"]
    items = [Example(f"{n}", CONTEXT, text, (text,)) for n, text in enumerate(odd)]
    said = create("metric", name).caution(Corpus.build(items))
    assert "unlike those" in said
    assert "it reaches Spearman" in said
