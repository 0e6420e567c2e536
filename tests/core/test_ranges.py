"""Every numeric option has a declared range, and a value outside is refused by the name of its option."""

import dataclasses
import importlib
import json
import math
from typing import Annotated

import click
import pytest

from dialometer.cli.main import VERBS, cli
from dialometer.contracts.score import ScoreRequest
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import DialometerError, MissingResource, SpecError, UsageError
from dialometer.core.ranges import Range, check_options, check_request, numbers_of, shown
from dialometer.core.registry import CARD, create, find, parse

CLASSES = [(kind, name) for kind in CATALOG for name in CATALOG[kind] if dataclasses.is_dataclass(find(kind, name))]
OPTIONS = [(kind, name, option) for kind, name in CLASSES for option in numbers_of(find(kind, name))]


def outside(number):
    """Texts of values just beyond both ends and far beyond."""
    range_ = number.range
    if number.type is int:
        near = [str(range_.low - 1), str(range_.high + 1), "1.5"]
    else:
        low = range_.low if range_.above else math.nextafter(range_.low, -math.inf)
        high = range_.high if range_.below else math.nextafter(range_.high, math.inf)
        near = [repr(float(low)), repr(float(high)), "1e308"]
    texts = [*near, str(10**30), str(-(10**30)), "9" * 5000, "nan", "inf", "-inf"]
    return [text for text in texts if text == "1.5" or float(text) not in range_]  # ratings may be as large as 10³⁰


def ends(range_):
    """The ends that belong to a range, or numbers right inside."""
    low = math.nextafter(range_.low, math.inf) if range_.above else range_.low
    high = math.nextafter(range_.high, -math.inf) if range_.below else range_.high
    return [low, high, *([] if range_.unset is None else [range_.unset])]


def request_classes(verb):
    """The classes of requests that a verb makes."""
    places = {"train": ("train:TrainRequest", "train_policy:RewardRequest"), "list": (), "doctor": ()}
    for place in places.get(verb, (f"{verb}:{verb.title()}Request",)):
        module, name = place.split(":")
        yield getattr(importlib.import_module(f"dialometer.contracts.{module}"), name)


def test_there_are_options_to_look_at():
    assert len(OPTIONS) > 150
    assert {kind for kind, _, _ in OPTIONS} >= {"metric", "judge", "encoder", "emotion", "likelihood", "bot", "engine"}


@pytest.mark.parametrize(("kind", "name"), CLASSES, ids=lambda value: str(value))
def test_no_numeric_option_is_without_a_range(kind, name):
    made = find(kind, name)
    defaults = {field.name: field.default for field in dataclasses.fields(made)}
    for option, number in numbers_of(made).items():
        assert number.declared, f"{name}({option}=…) declares no range: see dialometer/core/ranges.py"
        assert defaults[option] in number.range


@pytest.mark.parametrize("verb", VERBS)
def test_no_numeric_option_of_a_command_is_without_a_range(verb):
    command = cli.get_command(click.Context(cli), verb)
    declared = {
        name: number
        for made in request_classes(verb)
        for name, number in numbers_of(made).items()
        if number.declared or number.type is str
    }
    for option in command.params:
        if option.type in (click.INT, click.FLOAT):
            assert option.name in declared, f"dialometer {verb}: {option.opts[-1]} has no declared range"
            assert option.default in declared[option.name].range
    for made in request_classes(verb):
        assert all(number.declared for number in numbers_of(made).values())


def test_an_option_without_a_range_would_be_noticed():
    @dataclasses.dataclass
    class Undeclared:
        size: int = 4
        rate: float | None = None
        order: Annotated[int, Range(1, 9)] = 2
        label: str = ""

    found = numbers_of(Undeclared)
    assert {name: number.declared for name, number in found.items()} == {"size": False, "rate": False, "order": True}
    with pytest.raises(SpecError, match=r"it\(size=…\) is"):  # 64 bits, even so
        check_options(Undeclared, {"size": 2**63}, "it")
    with pytest.raises(SpecError, match=r"it\(rate=…\) is"):
        check_options(Undeclared, {"rate": math.inf}, "it")


@pytest.mark.parametrize(("kind", "name", "option"), OPTIONS, ids=lambda value: str(value))
def test_values_out_of_range_are_refused_by_name(kind, name, option):
    texts = outside(numbers_of(find(kind, name))[option])
    assert len(texts) >= 6
    for text in texts:
        with pytest.raises(SpecError) as error:
            create(kind, f"{name}({option}={text})")
        assert error.value.message.startswith(f"{name}({option}=…) "), text
        assert len(error.value.message) < 300
        assert error.value.hint


@pytest.mark.parametrize(("kind", "name", "option"), OPTIONS, ids=lambda value: str(value))
def test_the_ends_of_a_range_are_accepted(kind, name, option):
    made = find(kind, name)
    for value in ends(numbers_of(made)[option].range):
        check_options(made, {option: value}, name)
        try:
            create(kind, f"{name}({option}={value!r})")
        except DialometerError as error:  # options that do not go together are refused for other reasons
            said = error.message
        else:
            said = ""
        assert f"{name}({option}=…) is" not in said


@pytest.mark.parametrize(
    "spec",
    ["skipthought(dim=1000000)", "tweet2vec(hidden=1000000)", f"lsi(k={10**30})", "skipthought(epochs=10000000000)"],
)
def test_encoders_of_absurd_size_are_refused_when_the_spec_is_read(spec):
    with pytest.raises(SpecError, match=r"is \d+ to \d+, not"):
        create("encoder", spec)


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("metric", "cider(sigma=1e300)"),
        ("metric", "rouge(beta=1e300)"),
        ("judge", f"adem(pca={10**30})"),
        ("bot", "dualencoder(hidden=1000000000)"),
        ("bot", f"tfidf(turns={10**30})"),
        ("bot", "seq2seq(turns=99999999999)"),
    ],
)
def test_scales_and_counts_that_overflow_are_refused_when_the_spec_is_read(kind, spec):
    with pytest.raises(SpecError, match=r"=…\) is .* to .*, not"):
        create(kind, spec)


def test_numbers_inside_other_texts_have_ranges_too():
    from dialometer.engine import engine

    with pytest.raises(UsageError, match="1 to 1024, not 99999999999"):
        engine("processes:99999999999")
    with pytest.raises(SpecError, match="four numbers"):
        create("metric", "meteor(weights=1+nan+1+1)")
    with pytest.raises(SpecError, match="four numbers"):
        create("metric", "meteor(weights=1+1e300+1+1)")
    with pytest.raises(SpecError, match="number per second"):
        create("bot", f"openai(model=x,rate=0.{'0' * 50}1/s)")


def test_python_callers_meet_the_same_ranges():
    for options, flag in (({"shard": 10**30}, "--shard"), ({"seed": 2**63}, "--seed"), ({"resamples": 1.5}, "--resamples")):
        with pytest.raises(UsageError, match=f"{flag} is .*, not") as error:
            ScoreRequest(("x.jsonl",), ("bleu",), **options)
        assert error.value.hint.startswith(flag)
    with pytest.raises(UsageError, match="--resamples is a whole number"):
        ScoreRequest(("x.jsonl",), ("bleu",), resamples=True)
    with pytest.raises(SpecError, match=r"bleu\(order=…\) is 1 to 9, not 10"):
        find("metric", "bleu")(order=10)


def test_numpy_numbers_are_numbers():
    import numpy as np

    assert ScoreRequest(("x.jsonl",), ("bleu",), seed=np.int64(3)).seed == 3
    check_request(ScoreRequest(("x.jsonl",), ("bleu",), shard=np.int32(5)))


def test_specs_nest_up_to_a_depth():
    def nested(levels):
        return "rerank(bots=" * levels + "parrot" + ")" * levels

    assert parse(nested(32)).name == "rerank"
    for levels in (33, 1000, 20_000):
        with pytest.raises(SpecError, match="more than 32 levels") as error:
            parse(nested(levels))
        assert len(error.value.message) < 200


def test_a_saved_artifact_with_an_option_out_of_range_is_refused(tmp_path):
    create("likelihood", "ngram").fit([["i like tea", "you like tea"]]).save(tmp_path)
    card = json.loads((tmp_path / CARD).read_text())
    for value in (10**9, 10**30, 2.5, "2", None):
        card["options"]["order"] = value
        (tmp_path / CARD).write_text(json.dumps(card))
        with pytest.raises(MissingResource, match=r"ngram\(order=…\) is|cannot be read") as error:
            create("likelihood", str(tmp_path))
        assert "dialometer train ngram" in error.value.hint or "dialometer train NAME" in error.value.hint


@pytest.mark.parametrize(
    ("range_", "text", "inside", "beyond"),
    [
        (Range(1, 9), "1 to 9", [1, 9], [0, 10, math.nan, math.inf]),
        (Range(0, 1, above=True), "above 0 and at most 1", [1, 1e-300], [0, 1.1]),
        (Range(0, 1, above=True, below=True), "above 0 and below 1", [0.5], [0, 1]),
        (Range(2, 5, unset=0), "2 to 5, or 0", [0, 2, 5], [1, -1, 6]),
    ],
)
def test_ranges_say_what_they_hold(range_, text, inside, beyond):
    assert str(range_) == text
    assert all(value in range_ for value in inside)
    assert not any(value in range_ for value in beyond)


def test_long_values_are_cut_in_messages():
    assert shown(10**5000) == "a number of 16610 bits"
    assert len(shown("x" * 5000)) == 41
