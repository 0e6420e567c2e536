"""Every numeric option of every command, just beyond its range and far beyond, on the command line and in a file of options."""

import click
import pytest

from dialometer.cli import main
from dialometer.cli.main import VERBS
from dialometer.core.ranges import numbers_of
from tests.cli.conftest import ROWS, write
from tests.core.test_ranges import outside, request_classes

BASE = {
    "score": ("items.jsonl", "-m", "bleu"),
    "why": ("items.jsonl", "--id", "a1", "-m", "bleu"),
    "agree": ("items.jsonl",),
    "meta": ("items.jsonl", "-m", "bleu"),
    "stress": ("items.jsonl", "-m", "bleu"),
    "power": ("items.jsonl", "--effect", "0.3"),
    "train": ("lsi", "items.jsonl"),
    "play": ("--a", "parrot"),
    "chat": ("parrot",),
    "compare": ("--a", "parrot", "--a", "eliza"),
    "serve": ("parrot",),
    "convert": ("items.jsonl", "-o", "out.jsonl"),
    "demo": (),
}
REWARD = ("hred", "items.jsonl", "--reward", "length")


def options_of(verb):
    """(class of the request, click option, its range) for each option that is a number."""
    command = main.cli.get_command(click.Context(main.cli), verb)
    for made in request_classes(verb):
        known = numbers_of(made)
        for option in command.params:
            if option.name in known and option.type in (click.INT, click.FLOAT):
                yield made, option, known[option.name]


CASES = [(verb, made, option, number) for verb in VERBS for made, option, number in options_of(verb)]


def test_there_are_options_to_try():
    assert len(CASES) > 60
    assert {verb for verb, *_ in CASES} == set(BASE)


@pytest.mark.parametrize(
    ("verb", "made", "option", "number"),
    CASES,
    ids=[f"{verb}-{made.__name__}-{option.name}" for verb, made, option, _ in CASES],
)
def test_numbers_out_of_range_are_refused_by_name(cli, tmp_path, verb, made, option, number):
    write(tmp_path / "items.jsonl", ROWS)
    base = REWARD if made.__name__ == "RewardRequest" else BASE[verb]
    flag = max(option.opts, key=len)
    for text in outside(number):
        said = cli(verb, *base, f"{flag}={text}" if flag.startswith("--") else f"{flag}{text}").refused()
        assert flag in said, (text, said)
        assert len(said) < 400 or "9" * 100 in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.jsonl"]


@pytest.mark.parametrize(
    ("verb", "line", "why"),
    [
        ("stress", f"limit = {10**30}", "--limit is 0 to 1000000000, not 1000"),
        ("score", "max-line = 0", "--max-line is 1 to"),
        ("meta", "min-kappa = nan", "--min-kappa is -1 to 1, not nan"),
        ("meta", "min-kappa = inf", "--min-kappa is -1 to 1, not inf"),
        (
            "power",
            'items = "50,99999999999999999999"',
            "--items wants whole numbers with commas between, each 4 to 1000000",
        ),
        ("power", 'raters = "0"', "--raters wants whole numbers with commas between, each 1 to"),
        ("train", 'ks = "10,1000000"', "--ks wants whole numbers with commas between, each 1 to 16384"),
    ],
)
def test_a_file_of_options_meets_the_same_ranges(cli, tmp_path, verb, line, why):
    write(tmp_path / "items.jsonl", ROWS)
    (tmp_path / "x.toml").write_text(line)
    assert why in cli(verb, *BASE[verb], "--config", "x.toml").refused()


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "9" * 5000])
def test_a_file_of_options_that_cannot_be_read(cli, tmp_path, value):
    write(tmp_path / "items.jsonl", ROWS)
    (tmp_path / "x.toml").write_text(f"shard = {value}")
    assert "x.toml: not a TOML file" in cli("score", *BASE["score"], "--config", "x.toml").refused()
