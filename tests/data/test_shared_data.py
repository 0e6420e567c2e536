"""Every shared data set reads clean through the door, with the counts that its table states."""

import pytest

from dialometer.core.errors import DataError
from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example
from dialometer.data import examples, open_items
from dialometer.data.formats.detect import detect

TURNS = {
    "grade_dailydialog": 300,
    "grade_empatheticdialogues": 300,
    "usr_topicalchat": 360,
    "fed_turn": 375,
    "dstc7_task2": 10_000,
    "gupta_dailydialog_multiref": 500,
    "zhao_dailydialog": 900,
    "holistic_context": 200,
    "holistic_fluency": 200,
    "engage_dailydialog": 600,
    "dstc6_t2": 40_000,
}
DIALOGUES = {  # conversations, turns where the table states them
    "dialogues/dstc9_interactive": (2200, None),
    "dialogues/convai2_volunteers": (1111, None),
    "dialogues/convai2_intermediate": (291, None),
    "dialogues/ji2022_free_run1": (1824, None),
    "dialogues/spot_the_bot_convai2": (1950, None),
    "dialogues/spot_the_bot_dailydialog": (1140, None),
    "corpora/dailydialog": (13_118, 102_979),
    "corpora/cornell_pairs_sample": (53_224, 106_448),
    "corpora/topical_chat_valid_test": (2156, 46_903),
    "corpora/empathetic_dialogues_valid_test": (5317, 23_051),
    "corpora/personachat_dialogrpt_test": (968, 15_024),
    "corpora/reddit_dialogrpt_test": (5000, None),
    "corpora/twitter_dialogrpt_test": (5000, 10_000),
}
pytestmark = pytest.mark.real_data


@pytest.mark.parametrize("name", TURNS)
def test_turns(name, shared_data):
    path = shared_data(f"turns/{name}.jsonl.gz")
    assert detect(path) == "jsonl"
    count = 0
    for item in open_items(path):
        assert type(item) is Example
        count += 1
    assert count == TURNS[name]


@pytest.mark.parametrize("name", DIALOGUES)
def test_dialogues(name, shared_data):
    conversations = turns = 0
    for item in open_items(shared_data(f"{name}.jsonl.gz")):
        assert type(item) is Dialogue
        conversations += 1
        turns += len(item.turns)
    wanted, stated = DIALOGUES[name]
    assert conversations == wanted
    assert stated in (None, turns)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_rows_without_a_response_are_refused(split, shared_data):
    with pytest.raises(
        DataError, match="fields found: adversarial_negatives, context, random_negatives, references, source_id"
    ):
        next(examples(shared_data(f"turns/dailydialogpp_{split}_unrated.jsonl.gz")))


def test_conversations_as_examples(shared_data):
    path = shared_data("dialogues/convai2_intermediate.jsonl.gz")
    replies = sum(turn.speaker == "bot" for item in open_items(path) for turn in item.turns[1:])
    assert sum(1 for _ in examples(path)) == replies


@pytest.mark.parametrize(
    "name",
    [
        "turns/usr_topicalchat",
        "turns/fed_turn",
        "turns/dstc7_task2",
        "dialogues/spot_the_bot_convai2",
        "corpora/reddit_dialogrpt_test",
    ],
)
def test_jsonl_to_parquet_to_csv_to_jsonl(name, shared_data, tmp_path):
    start = list(open_items(shared_data(f"{name}.jsonl.gz")))
    source = iter(start)
    for form in ("parquet", "csv", "jsonl"):
        path = tmp_path / f"items.{form}"
        create("format", form).write(source, path)
        source = open_items(path)
    assert list(source) == start
