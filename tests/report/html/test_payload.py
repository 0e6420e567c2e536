"""The packed items: what is in the page is what was given, and it fits."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from dialometer.report.blocks import Item, Page, Scatter, Section
from dialometer.report.html.payload import CUTS, MOST, jitter, pack, sample
from dialometer.report.page import write_page
from tests.report.pages import NAN, every_block, items, page, unpacked

MEGABYTES = 1_000_000


def data_of(some, plots=(), budget=4 * MEGABYTES):
    payload = pack(some, [(plot.name, plot) for plot in plots], budget)
    return payload, unpacked(f'<script type="application/octet-stream;base64" id="items">{payload.encoded}</script>')


def test_an_item_comes_back_whole():
    some = items()
    _, data = data_of(some)
    flat = data["contexts"][data["context"][7]]
    turns = [(data["speakers"][s], data["texts"][t]) for s, t in zip(flat[1::2], flat[2::2], strict=True)]
    total, *shown = data["references"][data["reference"][7]]
    assert flat[0] == 0
    assert turns == list(some[7].turns)
    assert data["texts"][data["response"][7]] == some[7].response
    assert (total, [data["texts"][t] for t in shown]) == (5, list(some[7].references[:3]))
    assert data["systems"][data["system"][7]] == "sage"
    assert data["columns"][data["scores"]["bleu"]][7] == round(7 / 12, 4)
    assert data["columns"][data["scores"]["length"]][3] is None
    assert data["ratings"] == {"overall": [[1 + k % 5, 2, None] for k in range(12)], "fluency": [[]] * 12}


def test_shared_texts_are_kept_once():
    _, data = data_of(items())
    assert len(data["contexts"]) == len(data["references"]) == 6
    assert len(data["texts"]) == len(set(data["texts"]))


def test_a_plot_refers_to_columns_that_are_there():
    some = items()
    lengths = np.array([item.scores["length"] for item in some])
    every = Scatter("every", "x", "y", range(12), lengths, np.array([item.scores["bleu"] for item in some]))
    part = Scatter("part", "x", "y", [1, 4, 5], lengths[[1, 4, 5]], np.array([9.0, 8.0, 7.0]))
    _, data = data_of(some, [every, part])
    plots = data["plots"]
    assert (plots["every"]["x"], plots["every"]["y"], plots["part"]["x"]) == (
        data["scores"]["length"],
        data["scores"]["bleu"],
        1,
    )
    assert len(data["columns"]) == 3
    assert data["rows"][plots["every"]["rows"]] == [k for k in range(12) if k != 3]  # its x is NaN
    assert data["rows"][plots["part"]["rows"]] == [1, 4, 5]


def test_an_item_may_be_drawn_twice():
    twice = Scatter("twice", "x", "y", [2, 2], np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    _, data = data_of(items(), [twice])
    assert data["plots"]["twice"] == {"jitter": 0.0, "rows": [2, 2], "x": [1, 2], "y": [3, 4]}


def test_long_texts_are_cut_and_the_page_knows():
    long = Item("x", "s", [("a", "word " * 1000)] * 60, "r" * 5000)
    payload, data = data_of([long])
    flat = data["contexts"][0]
    assert flat[0] == 20
    assert len(flat) == 1 + 2 * payload.cut.turns
    assert data["cut"] == [0, 1]
    assert all(text.endswith("…") and len(text) <= payload.cut.letters + 1 for text in data["texts"])


def random_items(n, words, seed=0):
    """Texts that hardly shrink: every word is new."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(97, 123, (n, words * 8), np.uint8).tobytes().decode()
    return [
        Item(f"i{k}", "s", [("a", letters[k * words * 8 : (k + 1) * words * 8])], scores={"m": float(rng.random())})
        for k in range(n)
    ]


def test_too_much_text_is_cut_harder_and_the_same_way_each_time():
    some = random_items(400, 250)  # 2,000 letters each, about 4.7 bits a letter
    roomy, tight = pack(some, [], 4 * MEGABYTES), pack(some, [], 100_000)
    assert roomy.cut == CUTS[0]
    assert tight.cut.letters < CUTS[1].letters
    assert len(tight.encoded) <= 100_000
    assert len(tight.rows) == 400
    assert tight.encoded == pack(some, [], 100_000).encoded


def test_where_cutting_does_not_help_items_are_left_out():
    some = random_items(400, 10)
    tight = pack(some, [], 6_000)
    assert len(tight.encoded) <= 6_000
    assert 1 < len(tight.rows) < 400
    assert pack(some, [], -1).rows.size == 1


def test_a_sample_keeps_what_is_drawn():
    used = np.arange(0, 20_000, 7)
    rows = sample(20_000, used, 5_000)
    assert len(rows) == len(set(rows.tolist())) == 5_000
    assert set(used.tolist()) <= set(rows.tolist())
    assert (rows == sample(20_000, used, 5_000)).all()
    assert (np.diff(rows) > 0).all()
    assert set(sample(20_000, used, 100).tolist()) <= set(used.tolist())


def test_noise_is_small_and_fixed():
    drawn = jitter(10_000)
    assert abs(drawn).max() <= 2.5
    assert abs(drawn.mean()) < 0.06  # six standard errors of 1/√10,000
    assert (drawn == jitter(10_000)).all()


def test_no_items_and_strange_characters():
    assert pack([], [], 1000).encoded == ""
    odd = Item("\ud800", "s", [("\x00", "\udfff")], "\x07", scores={"\ud800": NAN})
    _, data = data_of([odd])
    assert data["ids"] == ["\ufffd"]


def test_more_than_ten_thousand_items(tmp_path):
    many = [Item(f"i{k}", "", [], "word") for k in range(MOST + 500)]
    plot = Scatter("p", "x", "y", range(len(many)), np.arange(len(many)), np.arange(len(many)))
    html = write_page(Page("t", [Section("s", [plot])], many), tmp_path).read_text("utf-8")
    assert len(unpacked(html)["ids"]) == MOST
    assert "a fixed sample of 10,000 of 10,500 items" in html
    assert "A fixed sample of 10,500 points" in html


@pytest.fixture(scope="module")
def dstc7(shared_data):
    """10,000 real items with up to a thousand references; the passage stands in for the context."""
    with gzip.open(shared_data("turns/dstc7_task2.jsonl.gz")) as file:
        rows = [json.loads(line) for line in file]
    rng = np.random.default_rng(7)
    scores = rng.random((len(rows), 12))
    return [
        Item(
            row["id"], row["system"], [("passage", row["knowledge"])], row["response"], row["references"],
            {f"metric {k}": value for k, value in enumerate(numbers)}, row["ratings"],
        )
        for row, numbers in zip(rows, scores.tolist(), strict=True)
    ]  # fmt: skip


def test_ten_thousand_real_items_fit(dstc7, tmp_path):
    x = np.array([np.mean(item.ratings["relevance"]) for item in dstc7])
    columns = {name: np.array([item.scores[name] for item in dstc7]) for name in dstc7[0].scores}
    plots = [Scatter(name, "relevance", name, range(len(dstc7)), x, y, jitter=0.1) for name, y in columns.items()]
    whole = Page("dstc7", [Section("Plots", plots), *every_block()], dstc7)
    path = write_page(whole, tmp_path)
    assert len(dstc7) == MOST
    assert path.stat().st_size < 5 * MEGABYTES
    data = unpacked(path.read_text("utf-8"))
    assert len(data["ids"]) == MOST
    assert len(data["columns"]) == 13 + 2  # twelve metrics, the mean rating, and the two of the small page's plot
    assert not data["cut"] or max(map(len, data["texts"])) > CUTS[1].letters  # the mildest cut was enough


def test_long_real_items_fit_too(dstc7, tmp_path):
    """The same items with eight times the text, none of it shared."""
    long = [
        replace(
            item, turns=[("a", f"{k} {item.turns[0][1]} {item.response} {k + j}"[:: -1 if j % 2 else 1]) for j in range(8)]
        )
        for k, item in enumerate(dstc7)
    ]
    path = write_page(Page("long", [], long), tmp_path)
    assert path.stat().st_size < 5 * MEGABYTES


def test_equal_pages_have_equal_data():
    assert pack(page().items, [], MEGABYTES).encoded == pack(page().items, [], MEGABYTES).encoded
