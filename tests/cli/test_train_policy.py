"""train --reward on the command line: its defaults are the request's, and options of the other sort are refused."""

import json
from dataclasses import fields

import click
import pytest

from dialometer.cli.train_policy import OPTIONS
from dialometer.contracts.train_policy import RewardRequest
from dialometer.core.registry import create


def test_defaults_are_those_of_the_request():
    @click.command()
    def bare():
        pass

    for option in OPTIONS:
        option(bare)
    known = {field.name: field.default for field in fields(RewardRequest)}
    for param in bare.params:
        if param.name != "reward":
            default = () if param.multiple else bare.make_context("x", []).params[param.name]
            assert default == known[param.name], param.name
            assert type(default) is type(known[param.name]), param.name


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["hred", "x.txt", "--kl", "1"], "--kl goes with --reward"),
        (["runs/hred", "x.txt", "--reward", "length", "--folds", "3"], "--folds does not go with --reward"),
    ],
)
def test_options_of_the_other_sort_are_refused(cli, arguments, says):
    done = cli("train", *arguments)
    assert done.code == 2
    assert says in done.err


def test_options_of_a_file_are_refused_as_those_of_the_line(cli, tmp_path):
    (tmp_path / "options.toml").write_text("kl = 0.5\n")
    done = cli("train", "hred", "x.txt", "--config", str(tmp_path / "options.toml"))
    assert done.code == 2
    assert "--kl goes with --reward" in done.err


def test_a_bot_learns_by_a_metric(cli, tmp_path):
    pytest.importorskip("torch")
    talks = [[f"do you like {what} ?", "i do", "me too", "yes"] for what in ("tea", "cake", "rain", "sun")] * 6
    create("bot", "hred(hidden=8,embedding=8,context=8,epochs=1,vocabulary=60,batch=4)").fit(talks).save(tmp_path / "bot")
    openers = tmp_path / "openers.jsonl"
    rows = [{"id": str(i), "turns": [{"speaker": "a", "text": f"hello number {i}"}]} for i in range(12)]
    openers.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    more = ["--episodes", "4", "--batch", "2", "--turns", "2", "--check", "2", "-o", str(tmp_path / "run"), "--json"]
    done = cli("train", str(tmp_path / "bot"), str(openers), "--reward", "length", *more)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["kind"], found["steps"]) == ("bot", 2)
    assert (tmp_path / "run" / "reward.csv").exists()
    assert create("bot", str(tmp_path / "run")).fitted
