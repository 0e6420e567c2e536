"""ARPA files: kenlm reads ours as we do, ours come back as they were, others' are read, bad ones are refused by line."""

import gzip
import re
from math import log

import numpy as np
import pytest

from dialometer.core.errors import DataError
from dialometer.core.registry import create
from dialometer.text.ngram_lm.model import Ngram
from dialometer.text.tokenisers.base import tokeniser

TEN = log(10)
TALKS = [["i like tea", "i like cake", "you like tea", "no"]]
ODD = ["", "unseen words only", "我爱茶 👍🏽", "tea 👍 tea", "naïve café", "i like unseen tea", "<s> tea", "tea <unk> </s>"]

GOOD = r"""\data\
ngram 1=4
ngram 2=2
\1-grams:
-0.5 </s>
-99 <s> -0.25
-0.75 tea -0.125
-1 me
\2-grams:
-0.3 <s> tea
-0.2 tea </s>
\end\
""".split("\n")

# The same by other hands: words before the head, blank lines, tabs, spaces around =.
LOOSE = [
    "iARPA",
    "",
    GOOD[0],
    "ngram  1 = 4",
    "",
    *GOOD[2:6],
    "",
    " -0.75 \ttea\t-0.125 ",
    *GOOD[7:9],
    "",
    *GOOD[9:],
    "more",
]


def sums(lm, texts):
    return lm.logprob([[]] * len(texts), texts)[0]


def spelt(texts):
    """What kenlm is to score: our tokens, with the marks that we take as unknown words."""
    split = tokeniser("words").tokens
    return [" ".join("<unk>" if token in ("<s>", "</s>") else token for token in split(text)) for text in texts]


@pytest.mark.oracle
@pytest.mark.parametrize("prune", [0, 1e-6, 1e-4])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_kenlm_reads_the_same_numbers(order, prune, real_texts, tmp_path):
    kenlm = pytest.importorskip("kenlm")
    texts = real_texts(5500)
    lm = Ngram(order, prune, gtmin=1 + order % 2).fit([texts[1500:]])
    lm.write_arpa(tmp_path / "model.arpa")
    theirs = kenlm.Model(str(tmp_path / "model.arpa"))
    scored = [*texts[:1500], *texts[-500:], *ODD]
    expected = [sum(part[0] for part in theirs.full_scores(text)) for text in spelt(scored)]
    np.testing.assert_allclose(sums(lm, scored) / TEN, expected, rtol=0, atol=1e-4)
    assert sum(part[2] for text in spelt(scored) for part in theirs.full_scores(text)) > 1000  # unseen words


@pytest.mark.oracle
def test_kenlm_reads_unigrams_with_a_needless_bigram(real_texts, tmp_path):
    """kenlm refuses order 1; ``<s> </s>`` with the probability that </s> has anyway makes it order 2 and changes nothing."""
    kenlm = pytest.importorskip("kenlm")
    texts, file = real_texts(3000), tmp_path / "one.arpa"
    lm = Ngram(1).fit([texts[1500:]])
    lm.write_arpa(file)
    with pytest.raises(OSError, match="at least a bigram"):
        kenlm.Model(str(file))
    end = next(line.split()[0] for line in file.read_text().split("\n") if line.endswith("\t</s>"))
    more = file.read_text().replace("\n\n\\1-grams", "\nngram 2=1\n\n\\1-grams")
    file.write_text(more.replace("\\end", f"\\2-grams:\n{end}\t<s> </s>\n\n\\end"))
    theirs = kenlm.Model(str(file))
    expected = [sum(part[0] for part in theirs.full_scores(text)) for text in spelt([*texts, *ODD])]
    np.testing.assert_allclose(sums(lm, [*texts, *ODD]) / TEN, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_ours_come_back(order, name, real_texts, tmp_path):
    texts = real_texts(3000)
    lm = Ngram(order, 1e-7, gtmin=1).fit([texts[:2000]])
    file = tmp_path / name
    lm.write_arpa(file)
    assert (file.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")
    again = create("likelihood", f"ngram(arpa={file})")
    np.testing.assert_allclose(sums(again, [*texts, *ODD]), sums(lm, [*texts, *ODD]), rtol=0, atol=1e-6)
    assert list(again._model().words) == list(lm._model().words)
    assert len(again.seen()) == 0
    assert again.size() == lm.size()
    assert create("likelihood", f"ngram(arpa={file})", text="not read").recipe == again.recipe
    again.save(tmp_path / "model")
    loaded = create("likelihood", str(tmp_path / "model"))
    assert loaded.recipe == again.recipe
    assert sums(loaded, texts).tobytes() == sums(again, texts).tobytes()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_files_of_others(tmp_path, ends):
    """tea: −0.3 − 0.2; me: bow(<s>) − 1, then </s> after it −0.5; an unknown word: −100, as kenlm has it without <unk>."""
    scored = ["tea", "me", "", "new", "tea me"]
    expected = [-0.5, -1.75, -0.75, -100.75, -0.3 - 0.125 - 1 - 0.5]
    file = tmp_path / "others.arpa"
    for lines in (LOOSE, GOOD):
        file.write_bytes(ends.join(lines).encode())
        np.testing.assert_allclose(sums(Ngram(arpa=str(file)), scored) / TEN, expected)


@pytest.mark.oracle
def test_kenlm_reads_that_file_the_same(tmp_path):
    kenlm = pytest.importorskip("kenlm")
    file = tmp_path / "good.arpa"
    tabs = [
        re.sub(r"^(-\S+) (.*?)( -\S+)?$", lambda m: f"{m[1]}\t{m[2]}" + (m[3] or "").replace(" ", "\t"), line)
        for line in GOOD
    ]
    file.write_text("\n".join(tabs).replace("\n\\", "\n\n\\"))
    theirs = kenlm.Model(str(file))
    scored = ["tea", "me", "", "new", "tea me", "new tea new"]
    np.testing.assert_allclose(sums(Ngram(arpa=str(file)), scored) / TEN, list(map(theirs.score, scored)), rtol=1e-6)


def test_unknown_in_capitals_and_minus_infinity(tmp_path):
    file = tmp_path / "a.arpa"
    file.write_text("\\data\\\nngram 1=4\n\\1-grams:\n-1 <UNK>\n-inf <s>\n-0.5 </s>\n-0.7 tea\n\\end\\\n")
    np.testing.assert_allclose(sums(Ngram(arpa=str(file)), ["new tea"]), [-2.2 * TEN])


@pytest.mark.parametrize(
    ("line", "new", "what"),
    [
        (1, "", "not an ARPA file"),
        (2, "ngram 1=5", r"a.arpa:4: lists 4 1-grams, and the head of the file says 5"),
        (2, "gram 1=4", r"a.arpa:2: should count the 1-grams"),
        (3, "ngram 3=2", r"a.arpa:3: should count the 2-grams"),
        (4, "\\2-grams:", r"a.arpa:4: has .* where .1-grams: should come"),
        (5, "x </s>", r"a.arpa:5: lacks a number"),
        (5, "nan </s>", r"a.arpa:5: lacks a number"),
        (5, "0.5 </s>", r"a.arpa:5: has a log-probability above 0"),
        (5, "-0.5", r"a.arpa:5: is not a number, 1 word and perhaps a weight"),
        (5, "-0.5 end", "has no </s>"),
        (6, "-99 start", "has no <s>"),
        (6, "-99 <s> x", r"a.arpa:6: lacks a number"),
        (7, "-1 me", r"a.arpa:8: lists an n-gram for the second time: '-1 me'"),
        (10, "-0.3 <s> coffee", r"a.arpa:10: has a word that is not among the 1-grams"),
        (10, "-0.3 <s> tea -1 -1", r"a.arpa:10: is not a number, 2 words"),
        (10, "-0.2 tea </s>", r"a.arpa:11: lists an n-gram for the second time"),
        (12, "", r"ends before \\end\\: it is cut short"),
        (12, "\\3-grams:", r"a.arpa:12: has .* where .end. should come"),
        (9, "", r"a.arpa:12: has .* where .2-grams: should come"),
    ],
)
def test_bad_files_are_refused_by_line(tmp_path, line, new, what):
    file = tmp_path / "a.arpa"
    lines = [*GOOD]
    lines[line - 1] = new
    file.write_text("\n".join(lines))
    with pytest.raises(DataError, match=what):
        sums(Ngram(arpa=str(file)), ["tea"])
    file.write_text("\n".join(GOOD))
    assert np.isfinite(sums(Ngram(arpa=str(file)), ["tea"])).all()


def test_a_context_that_is_not_listed(tmp_path):
    Ngram(3, 0, gtmin=1).fit(TALKS).write_arpa(tmp_path / "a.arpa")
    lines = (tmp_path / "a.arpa").read_text().split("\n")
    gone = next(i for i, line in enumerate(lines) if "\ti like\t" in line)
    lines[gone] = lines[gone].replace("i like", "i cake")
    (tmp_path / "a.arpa").write_text("\n".join(lines))
    with pytest.raises(DataError, match=r"continues an n-gram that is not listed: .*\(2 such cases"):
        sums(Ngram(arpa=str(tmp_path / "a.arpa")), ["tea"])


@pytest.mark.parametrize("share", [0, 0.1, 0.3, 0.5, 0.8, 1])
def test_cut_short_at_any_place(tmp_path, share):
    text = "\n".join(GOOD)
    file = tmp_path / "a.arpa"
    file.write_text(text[: round(share * text.index("\\end\\"))])
    with pytest.raises(DataError, match=r"a.arpa"):
        sums(Ngram(arpa=str(file)), ["tea"])
    file.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(DataError, match="gzip is damaged"):
        sums(Ngram(arpa=str(file)), ["tea"])


def test_other_text_and_other_orders_are_refused(tmp_path):
    file = tmp_path / "a.arpa"
    file.write_bytes(b"\\data\\\nngram 1=3\n\\1-grams:\n-1 <s>\n-1 </s>\n-1 caf\xe9\n\\end\\\n")
    with pytest.raises(DataError, match=r"a.arpa:6: is not UTF-8"):
        sums(Ngram(arpa=str(file)), ["tea"])
    counts = "\n".join(f"ngram {n}={2 * (n == 1)}" for n in range(1, 7))
    sections = "\n".join(f"\\{n}-grams:" + "\n-1 <s>\n-1 </s>" * (n == 1) for n in range(1, 7))
    file.write_text(f"\\data\\\n{counts}\n{sections}\n\\end\\\n")
    with pytest.raises(DataError, match="has order 6"):
        sums(Ngram(arpa=str(file)), ["tea"])


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        Ngram().fit(TALKS).write_arpa(tmp_path / "none" / "a.arpa")
