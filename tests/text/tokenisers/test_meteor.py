"""The METEOR tokeniser against the jar's normaliser."""

import random
import shutil
import subprocess

import pytest

from dialometer.text.meteor import resources as meteor_files
from dialometer.text.tokenisers import meteor as meteor_norm
from dialometer.text.tokenisers.meteor import MeteorNorm

PIECES = (
    "U.S. Dr. No. 5 the don't 'tis 3,000 a,b ,, ... .. etc. e.g. well-known a-b-c -x -- '' `` “hi” rock'n'roll 90's 1990's x' ' Mr."
    " p.m. Ok. 100. $5.00 www.a.com http://a.b/c?d=e @user #tag :) <url> İstanbul naïve Ωmega 日本 a.b.c. .5 5. – — … 😀 Дя ß , . -"
).split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I like tea.", "i like tea ."),
        ("Tea, 3,000 cups!", "tea , 3,000 cups !"),
        ("No. 5 is No. good", "no. 5 is no. good"),  # before a number; before a small letter
        ("No. Good", "no . good"),
        ("the U.S. and e.g. Spain", "the us and eg spain"),  # stops inside: all go
        ("wait... what..", "wait ... what .."),
        ("a-b-c", "a b-c"),  # one pass: the letter between two dashes is used up
        ("a, ,b", "a , ,b"),  # as is the space between two commas
        ("it's 1990's rock 'n' roll", "it 's 1990 's rock ' n ' roll"),
        ("etc.\u00a0then", "etc . then"),  # the no-break space counts as the next word
        ("", ""),
        ("   ", ""),
    ],
)
def test_by_hand(text, tokens):
    if meteor_files.meteor_folder() is None and "e.g." in text:
        pytest.skip("METEOR's list of abbreviations is not installed")
    assert MeteorNorm().split(text) == tokens.split()


@pytest.fixture(scope="module")
def normalise():
    """The jar's own normaliser: lines in, lines out."""
    folder = meteor_files.meteor_folder()
    if folder is None:
        pytest.skip("METEOR 1.5 is not installed")
    if shutil.which("java") is None:
        pytest.skip("no java here")
    command = ["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", str(folder / "meteor-1.5.jar")]

    def run(lines):
        done = subprocess.run(
            [*command, "edu.cmu.meteor.util.Normalizer", "en", "true"], input="\n".join(lines) + "\n", encoding="utf-8",
            capture_output=True, timeout=200, check=True,
        )  # fmt: skip
        return done.stdout.split("\n")[: len(lines)]

    return run


@pytest.mark.oracle
def test_equals_the_jar_on_odd_texts(normalise):
    draw = random.Random(11)
    texts = [draw.choice([" ", "", " "]).join(draw.choices(PIECES, k=draw.randint(1, 9))) for _ in range(8000)]
    texts += ["".join(draw.choices("ab Z9.,'`-‘’\"–…!é😀 \t", k=draw.randint(1, 24))) for _ in range(8000)]
    _compare(texts, normalise)


@pytest.mark.oracle
@pytest.mark.real_data
def test_equals_the_jar_on_real_texts(normalise, real_texts):
    _compare([" ".join(text.split("\n")).replace("\r", " ") for text in real_texts(30_000)], normalise)


def _compare(texts, normalise):
    split = MeteorNorm().split
    for text, line in zip(texts, normalise(texts), strict=True):
        if not any(mark in text for mark in "\u000b\u001c\u001d\u001e\u001f\u0085\u1680\u2028\u2029"):
            assert split(text) == line.lower().split(), text


def test_recipe_tells_when_the_list_is_missing(monkeypatch, tmp_path):
    if meteor_files.meteor_folder() is not None:
        assert MeteorNorm().recipe == "meteor-1"
    monkeypatch.setenv("DIALOMETER_METEOR", str(tmp_path))
    meteor_norm._has_list.cache_clear()
    meteor_norm._prefixes.cache_clear()
    try:
        assert MeteorNorm().recipe == "meteor-1-fewprefixes"
        assert MeteorNorm().split("Dr. Who. Now") == ["dr.", "who", ".", "now"]
    finally:
        meteor_norm._has_list.cache_clear()
        meteor_norm._prefixes.cache_clear()
