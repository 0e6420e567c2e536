"""--config: the options as a TOML file; what is typed wins, what is wrong is named with the file."""

import json

import pytest

from tests.cli.conftest import ROWS, write


@pytest.fixture
def config(tmp_path):
    def make(text: str) -> str:
        (tmp_path / "run.toml").write_text(text, encoding="utf-8")
        return "run.toml"

    return make


def test_the_same_keys_give_the_same_run(cli, items, config):
    typed = cli("score", items, "-m", "bleu(order=2)", "-m", "length", "--tok", "whitespace", "--seed", 3, "--json")
    path = config(
        f'files = ["{items}"]\nmetrics = ["bleu(order=2)", "length"]\ntok = "whitespace"\nseed = 3\njson = true\n'
    )
    assert cli("score", "--config", path).out == typed.out
    assert json.loads(typed.out)["recipes"]["bleu-2"].split("|")[4] == "tok:whitespace-1"


@pytest.mark.parametrize("spelt", ["metrics", "metric", "m"])
def test_metrics_are_spelt_as_on_the_command_line(cli, items, config, spelt):
    done = cli("score", items, "--config", config(f'{spelt} = "length"'), "--json")
    assert list(json.loads(done.out)["recipes"]) == ["words", "chars", "words-difference"]


def test_the_command_line_wins(cli, items, config):
    path = config('metrics = ["rouge"]\ntok = "13a"\nitems = "jsonl"\nno-cache = true\nskip_incomplete = true\n')
    done = cli("score", items, "-m", "bleu", "--items", "parquet", "--config", path)
    assert "bleu-1" in done.out
    assert "rouge" not in done.out
    assert "tok:13a-1" in done.out
    assert done.out.endswith("scores.parquet\n")


def test_parallel_text_in_the_file(cli, tmp_path, config):
    (tmp_path / "bot.txt").write_text("i like tea\n")
    done = cli("score", "--config", config('hyp = "bot.txt"\nref = ["bot.txt"]\nm = "bleu"'), "--json")
    assert json.loads(done.out)["systems"][""]["bleu-4"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('metrisc = ["bleu"]', "did you mean metrics"),
        ("resample = 5", "resamples"),
        ('metrics = "bleu"\nseed = "three"', "seed wants a whole number, not 'three'"),
        ("metrics = 5", "metrics wants a list of texts, not 5"),
        ("metrics = [1, 2]", "metrics wants a list of texts"),
        ("quiet = 1", "quiet wants a true or false"),
        ("tok = true", "tok wants a text, not True"),
        ("metrics = ", "not a TOML file"),
        ('metrics = "blue"', "did you mean bleu"),
    ],
)
def test_what_is_wrong_is_named(cli, items, config, text, words, tmp_path):
    said = cli("score", items, "--config", config(text)).refused()
    assert words in said
    assert "run.toml" in said or "blue" in text
    assert not (tmp_path / "runs").exists()


def test_a_file_that_is_not_there_or_not_text(cli, items, tmp_path):
    assert "none.toml: no such file" in cli("score", items, "--config", "none.toml").refused()
    (tmp_path / "latin.toml").write_bytes(b'tok = "caf\xe9"')
    assert "latin.toml: not a TOML file" in cli("score", items, "--config", "latin.toml").refused()
    assert "is a directory" in cli("score", items, "--config", ".").refused()


def test_an_output_that_no_system_takes(cli, tmp_path, config):
    items = write(tmp_path / "x.jsonl", ROWS)
    assert "cannot write" in cli("score", items, "--config", config('m = "bleu"\noutput = "a\\u0000b"')).refused()
