"""What ``Corpus.of`` takes for responses and references: a text is one reference, and what is no list of texts is refused."""

import numpy as np
import polars as pl
import pytest

import dialometer as dm
from dialometer.metrics.bleu import Bleu
from dialometer.text.corpus import Corpus

RESPONSES = ["would you like some tea ?", "yes , i like tea a lot"]


class Table:
    """As much of a data frame as is looked at: named columns, and iteration over their names."""

    columns = ("response", "reference")

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        return len(self.columns)

    def __getitem__(self, name):
        return RESPONSES


def bleu(responses, references):
    metric = Bleu()
    return metric.finish(metric.measure(Corpus.of(responses, references)), level="item")[:, -1].tolist()


@pytest.mark.parametrize("copy", [list, tuple, np.array, lambda texts: np.array(texts, object)])
def test_a_text_is_one_reference(copy):
    references = copy(RESPONSES)
    assert Corpus.of(RESPONSES, references).references.counts().tolist() == [1, 1]
    assert bleu(RESPONSES, references) == bleu(RESPONSES, [[text] for text in RESPONSES]) == pytest.approx([1, 1])


def test_texts_and_lists_of_texts_may_be_mixed():
    corpus = Corpus.of(RESPONSES, ["no", ("maybe", "no")])
    assert corpus.references.counts().tolist() == [1, 2]
    assert [corpus.texts[row] for row in corpus.references.rows] == ["no", "maybe", "no"]


@pytest.mark.parametrize(
    "container", [Table(), {"response": RESPONSES, "reference": RESPONSES}, pl.DataFrame({"response": RESPONSES})]
)
def test_a_table_is_refused_with_the_way_to_pass_a_column(container):
    for arguments in ((container,), (RESPONSES, container)):
        with pytest.raises(dm.UsageError) as caught:
            Corpus.of(*arguments)
        assert 'list(table["response"])' in caught.value.hint
        assert type(container).__name__ in caught.value.message


def test_one_text_is_no_list_of_responses():
    with pytest.raises(dm.UsageError, match="the responses are one text"):
        Corpus.of("tea ?")
    with pytest.raises(dm.UsageError, match="the references are one text"):
        Corpus.of(["a", "b"], "ab")  # as many characters as responses


@pytest.mark.parametrize("references", [[], ["a"], [["a"], ["b"], ["c"]]])
def test_both_numbers_are_told_where_the_lengths_differ(references):
    with pytest.raises(dm.UsageError, match=f"there are 2 responses and references for {len(references)}"):
        Corpus.of(RESPONSES, references)


@pytest.mark.parametrize(
    ("responses", "references", "place"),
    [
        (["a", None], None, "response 1"),
        (["a", float("nan")], None, "response 1"),
        (["a", b"b"], None, "response 1"),
        (["a", "b"], [["a"], None], "references of response 1"),
        (["a", "b"], [["a"], {"text": "b"}], "references of response 1"),
        (["a", "b"], [["a"], ["b", 7]], "a reference of response 1"),
        (["a", "b"], ["a", float("nan")], "references of response 1"),
    ],
)
def test_what_is_no_text_is_refused_with_its_row(responses, references, place):
    with pytest.raises(dm.DataError) as caught:
        Corpus.of(responses, references)
    assert caught.value.item == place
    assert "is not a text" in caught.value.message


def test_an_example_with_a_text_for_references_is_refused():
    with pytest.raises(dm.DataError, match="e1: its references are one text"):
        Corpus.build([dm.Example("e1", (), "tea", "coffee")])


def test_requests_take_paths_and_refuse_what_holds_no_texts(tmp_path):
    path = tmp_path / "a.jsonl"
    assert dm.ScoreRequest(path, ["bleu"]).inputs == (str(path),)
    assert dm.ConvertRequest(str(path), "out.csv").inputs == dm.WhyRequest([path], "a", "bleu").inputs == (str(path),)
    for wrong in (Table(), {"a": 1}, None):
        with pytest.raises(dm.UsageError, match=r"ScoreRequest\.inputs is a list of texts, not"):
            dm.ScoreRequest(wrong, ("bleu",))
    with pytest.raises(dm.UsageError, match="not a list with 7 in it"):
        dm.ScoreRequest((7,), ("bleu",))
