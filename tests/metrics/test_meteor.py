"""METEOR against the released jar (1.5), NLTK, and the published DSTC6 table."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dialometer.core.errors import SpecError, UnknownName
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, spec_of
from dialometer.metrics.meteor import Meteor
from dialometer.text.corpus import Corpus
from dialometer.text.meteor.resources import meteor_folder, paraphrase_file, wordnet_folder
from dialometer.text.meteor.wordnet import WordNet
from dialometer.text.tokenisers.base import tokeniser
from tests import real
from tests.metrics.scoring import with_edges

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "meteor_1.5.json").read_text(encoding="utf-8"))
needs_jar = pytest.mark.skipif(meteor_folder() is None or paraphrase_file() is None, reason="METEOR 1.5 is not installed")
needs_wordnet = pytest.mark.skipif(wordnet_folder() is None, reason="WordNet is not installed")


def nltk_can_read(folder):
    """Whether NLTK can read a WordNet: it seeks by offsets, which the Windows line ends of some copies (``wn``) move."""
    return folder is not None and b"\r\n" not in (folder / "index.noun").read_bytes()[:100_000]


needs_nltk_wordnet = pytest.mark.skipif(not nltk_can_read(wordnet_folder()), reason="WordNet is not installed")


def scores(metric, responses, references):
    return metric.finish(metric.measure(Corpus.of(responses, references)), level="item")[:, 0]


def one(metric, response, *references):
    return float(scores(metric, [response], [list(references)])[0])


@pytest.mark.parametrize(
    ("response", "reference", "value"),
    [  # exact matches only, by hand: P = R = 1, (1 − 0.5 (chunks / 6)^3)
        ("the cat sat on the mat", "the cat sat on the mat", 1 - 0.5 / 216),
        ("on the mat sat the cat", "the cat sat on the mat", 1 - 0.5),  # six chunks: the later "the" is taken first
        ("the cat was sat on the mat", "the cat sat on the mat", (6 / 7 / (0.9 * 6 / 7 + 0.1)) * (1 - 0.5 * (2 / 6) ** 3)),
        ("tea", "coffee", 0.0),
    ],
)
def test_nltk_variant_by_hand(response, reference, value):
    assert one(Meteor("nltk", stages="exact"), response, reference) == pytest.approx(value, abs=1e-12)


def test_identical_six_words_nltk():
    assert round(one(Meteor("nltk"), "the cat sat on the mat", "the cat sat on the mat"), 4) == 0.9977


def test_exact_stage_of_1_5_by_hand():
    # content words count .75, function words .25; "the", "on", "the" are function words; the best order has three chunks
    metric = Meteor(stages="exact")
    assert one(metric, "the cat sat on the mat", "the cat sat on the mat") == 1.0
    assert one(metric, "on the mat sat the cat", "the cat sat on the mat") == pytest.approx(
        1 - 0.6 * (3 / 6) ** 0.2, abs=1e-12
    )


@needs_jar
@pytest.mark.oracle
@pytest.mark.invariance
def test_golden_values_of_the_jar():
    items = GOLDEN["items"]
    metric = Meteor()
    rows = metric.measure(Corpus.of([i["response"] for i in items], [i["references"] for i in items]))
    np.testing.assert_allclose(metric.finish(rows, level="item")[:, 0], [i["score"] for i in items], rtol=0, atol=1e-12)
    assert float(metric.finish(rows.sum(0), level="corpus")[0]) == pytest.approx(GOLDEN["corpus"], abs=1e-12)


@needs_jar
@pytest.mark.oracle
@pytest.mark.real_data
def test_published_dstc6_table(shared_data):
    table = json.loads(shared_data("turns/dstc6_t2_system_scores.json").read_text())["objective"]
    rows = real.lines(shared_data("turns/dstc6_t2.jsonl.gz"))
    metric = Meteor()
    systems = sorted({row["system"] for row in rows})
    assert len(systems) == 20
    for system in systems:
        mine = [row for row in rows if row["system"] == system]
        corpus = Corpus.of([row["response"] for row in mine], [row["references"] for row in mine])
        value = float(metric.finish(metric.measure(corpus).sum(0), level="corpus")[0])
        assert value == pytest.approx(table[system]["METEOR"], abs=6e-7), system  # published with six digits


@pytest.fixture
def jar():
    """A running jar: a function from (response, references) pairs to its scores and its corpus score."""
    if shutil.which("java") is None:
        pytest.skip("no java here")
    process = subprocess.Popen(
        ["java", "-Xmx2G", "-jar", str(meteor_folder() / "meteor-1.5.jar"), "-", "-", "-stdio", "-l", "en", "-norm"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip

    def ask(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        return process.stdout.readline().strip()

    def run(pairs):
        stats = [ask(" ||| ".join(["SCORE", *references, response])) for response, references in pairs]
        first = float(ask("EVAL ||| " + " ||| ".join(stats)))
        rest = [float(process.stdout.readline()) for _ in pairs]
        return [first, *rest[:-1]], rest[-1]

    yield run
    process.kill()
    process.wait(timeout=30)
    process.stdin.close()
    process.stdout.close()


@needs_jar
@pytest.mark.oracle
@pytest.mark.real_data
@pytest.mark.timeout(240)
def test_equals_the_running_jar(jar, real_pairs):
    responses, references = real_pairs(400)
    more, many = real_pairs(100, many=True)
    clean = [(_line(a), [_line(r) for r in b]) for a, b in zip(responses + more, references + many, strict=True)]
    values, corpus_value = jar(clean)
    metric = Meteor()
    rows = metric.measure(Corpus.of([a for a, _ in clean], [b for _, b in clean]))
    np.testing.assert_allclose(metric.finish(rows, level="item")[:, 0], values, rtol=0, atol=1e-12)
    assert float(metric.finish(rows.sum(0), level="corpus")[0]) == pytest.approx(corpus_value, abs=1e-12)


def _line(text):
    return " ".join(text.replace("|||", " ").split())


@pytest.fixture(scope="module")
def nltk_scores(tmp_path_factory):
    """NLTK's own function over the same WordNet files, which it only reads from a folder of its data path."""
    nltk = pytest.importorskip("nltk")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.translate.meteor_score import meteor_score

    class Reader(WordNetCorpusReader):
        def map_wn(self, version="wordnet"):  # other languages only, and needs a second WordNet
            return None

    folder = tmp_path_factory.mktemp("nltk") / "wordnet"
    shutil.copytree(wordnet_folder(), folder, ignore=lambda d, names: [n for n in names if (Path(d) / n).is_dir()])
    (folder / "lexnames").write_text("".join(f"{i:02d}\tnames.{i}\t1\n" for i in range(45)))
    nltk.data.path.append(str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wordnet = Reader(str(folder), None)
    tok = tokeniser("words")
    yield lambda pairs: [
        meteor_score([tok.split(r) for r in refs], tok.split(response), wordnet=wordnet) for response, refs in pairs
    ]
    nltk.data.path.remove(str(folder))


@needs_nltk_wordnet
@pytest.mark.oracle
@pytest.mark.real_data
@pytest.mark.parametrize("many", [False, True], ids=["one reference", "two references"])
def test_equals_nltk(nltk_scores, real_pairs, many):
    """5,000 real items and the awkward ones; two references each of the several, for NLTK takes its time."""
    responses, references = real_pairs(5000, many=many)
    cut = [list(dict.fromkeys(refs))[:2] for refs in references]
    assert sum(map(len, cut)) >= (9_900 if many else 5_000)
    responses, references = with_edges((responses, cut))
    theirs = nltk_scores(list(zip(responses, references, strict=True)))
    np.testing.assert_allclose(scores(Meteor("nltk"), responses, references), theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("variant", ["1.5", "nltk"])
def test_absent_empty_and_best(variant):
    metric = Meteor(variant)
    rows = metric.measure(Corpus.of(["tea", "", "tea please", "tea"], [[], ["tea"], ["coffee", "tea please"], [""]]))
    assert rows.dtype == np.float64
    assert not rows[0].any()
    values = metric.finish(rows, level="item")[:, 0]
    assert np.isnan(values[0])
    assert values[1] == values[3] == 0.0
    assert values[2] == one(metric, "tea please", "tea please")
    assert np.isnan(metric.finish(rows[:1].sum(0), level="corpus")).all()
    assert metric.finish(np.stack([rows, rows]), level="item").shape == (2, 4, 1)


def test_corpus_levels():
    corpus = Corpus.of(["tea for two", "a b c"], [["tea for two"], ["c b x"]])
    greedy = Meteor("nltk")
    rows = greedy.measure(corpus)
    assert greedy.finish(rows.sum(0), level="corpus")[0] == pytest.approx(greedy.finish(rows, level="item").mean())
    assert Meteor().measure(Corpus.of([], [])).shape[0] == 0


def test_options():
    assert one(Meteor("nltk", stages="exact"), "he runs", "she run") == 0.0
    assert one(Meteor("nltk", stages="exact+stem"), "he runs", "she run") > 0.0
    assert one(Meteor(gamma=0.0), "b a", "a b") == pytest.approx(1.0)
    heavy = Meteor(stages="exact+stem", weights="1+1+.8+.6")
    assert one(heavy, "running dogs", "run dog") > one(Meteor(stages="exact+stem"), "running dogs", "run dog")
    with pytest.raises(UnknownName, match="variant of meteor"):
        Meteor("2.0")
    with pytest.raises(UnknownName, match="stage of meteor"):
        Meteor("nltk", stages="exact+paraphrase")
    for wrong in ("1+2", "1+a+b+c"):
        with pytest.raises(SpecError, match="four numbers"):
            Meteor(weights=wrong)
    made = create("metric", "meteor(variant=nltk,alpha=0.8,stages=exact+stem)")
    assert made == create("metric", spec_of(made, "meteor"))
    assert made.alpha == 0.8


def test_recipe_says_what_ran(monkeypatch, tmp_path):
    assert "stages:exact+stem|" in recipe(Meteor(stages="exact+stem")) + "|"
    if paraphrase_file():
        facts = Meteor().recipe_facts()
        assert facts["stages"] == "exact+stem+synonym+paraphrase"
        assert len(facts["paraphrases"]) == len(facts["lists"]) == 8
    monkeypatch.setenv("DIALOMETER_WORDNET", str(tmp_path))
    facts = Meteor("nltk").recipe_facts()
    assert (facts["stages"], facts["missing"]) == ("exact+stem", "synonym")
    assert one(Meteor("nltk"), "big", "large") == 0.0


@needs_wordnet
def test_synonyms_of_wordnet():
    assert one(Meteor("nltk"), "my car", "my auto") > one(Meteor("nltk", stages="exact+stem"), "my car", "my auto")
    assert one(Meteor("nltk"), "big", "large") == 0.0  # NLTK looks up stems, and "larg" is no word


@needs_jar
def test_explain_1_5():
    corpus = Corpus.of(["the physician said hello"], [["nothing here", "a doctor said hi as soon as he could"]])
    lines = Meteor().explain(corpus, 0)
    assert "  physician → a doctor (paraphrase)" in lines
    assert "  hello → hi (synonym)" in lines
    assert "  no match, score 0" in lines
    assert lines[-1].startswith("best: reference 2 with 0.2194")


def test_explain_nltk_and_nothing():
    corpus = Corpus.of(["on the mat sat the cat", "x"], [["the cat sat on the mat"], []])
    lines = Meteor("nltk", stages="exact").explain(corpus, 0)
    assert "  P = 6/6, R = 6/6, F = 1.0000, 6 chunks / 6 matched words → penalty 0.5000, score 0.5000" in lines
    assert Meteor().explain(corpus, 1) == ["no reference: not scored"]


def fresh(tmp_path, *arguments, **env):
    """Python in a process of its own, with an empty cache."""
    env = {**os.environ, "DIALOMETER_CACHE": str(tmp_path / "cache"), **env}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=True, cwd=tmp_path)


SAMPLE = str(files("dialometer") / "samples" / "smalltalk.jsonl")
SCORE = ("-m", "dialometer", "score", SAMPLE, "-o", "run", "-m")


@pytest.mark.parametrize(
    ("spec", "missing"),
    [
        ("meteor", "the synonym stage and the paraphrase stage and the list of function words"),
        ("meteor(variant=nltk)", "the synonym stage"),
    ],
)
def test_missing_files_are_warned_of_once(tmp_path, spec, missing):
    bare = {"DIALOMETER_METEOR": str(tmp_path / "none"), "DIALOMETER_WORDNET": str(tmp_path / "none")}
    for _ in range(2):  # as the numbers are made, and as they are reprinted
        done = fresh(tmp_path, *SCORE, spec, **bare)
        assert "|missing:" in done.stdout
        assert done.stderr.count("runs without") == 1
        assert f"runs without {missing}:" in done.stderr
        assert 'pip install "dialometer[meteor]"' in done.stderr


def test_no_warning_where_all_files_are_there(tmp_path):
    spec = "meteor(variant=nltk,stages=exact+stem)"
    done = fresh(tmp_path, *SCORE, spec, DIALOMETER_WORDNET=str(tmp_path / "none"))
    assert done.stderr == ""


STAGES = """
from dialometer.flows.score.score import ScoreRequest, score
score(ScoreRequest(({!r},), ("meteor",), output="run"), progress=lambda *told: print(*told, sep="|"))
"""


def test_building_the_paraphrase_table_shows_progress(tmp_path):
    """In the scoring process, before the work is shared out, up to the end; and not again."""
    folder = tmp_path / "meteor" / "data"
    folder.mkdir(parents=True)
    (folder / "paraphrase-en.gz").write_bytes(gzip.compress(b"0.5\nonce\none time\n" * 100))
    told = fresh(tmp_path, "-c", STAGES.format(SAMPLE), DIALOMETER_METEOR=str(folder.parent)).stdout.splitlines()
    built = [line.split("|") for line in told if line.startswith("paraphrases")]
    assert [line.split("|")[0].partition(" · ")[0] for line in told][-2:] == ["paraphrases", "measuring"]
    assert built[-1][1:] == ["100", "100"]
    code = STAGES.format(SAMPLE).replace('"run"', '"again"')
    assert "paraphrases" not in fresh(tmp_path, "-c", code, DIALOMETER_METEOR=str(folder.parent)).stdout


def test_wordnet_files_with_windows_line_ends(tmp_path):
    """Offsets do not count the carriage returns that some copies have."""
    source = wordnet_folder()
    if source is None:
        pytest.skip("WordNet is not installed")
    for part in ("noun", "verb", "adj", "adv"):
        for name in (f"index.{part}", f"data.{part}", f"{part}.exc"):
            data = (source / name).read_bytes().replace(b"\r\n", b"\n")
            (tmp_path / name).write_bytes(data.replace(b"\n", b"\r\n"))
    ours, theirs = WordNet(source), WordNet(tmp_path)
    for word in ("dog", "running", "mice", "best", "quickly", "nothing-of-this"):
        assert ours.numbers(word) == theirs.numbers(word)
        for number in ours.numbers(word):
            assert ours.spells(number, word) == theirs.spells(number, word)
