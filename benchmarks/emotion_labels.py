"""The 32 labels of empathetic dialogues: their names, valence and fitting emojis, all fixed before any score was looked at."""

import gzip
import json
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from pairs import data_folder

# In the order of the numbers in the file (ed_data_extract.py of the repository that the copy comes from).
LABELS = (
    "sad trusting terrified caring disappointed faithful joyful jealous disgusted surprised ashamed afraid impressed sentimental "
    "devastated excited anticipating annoyed anxious furious content lonely angry confident apprehensive guilty embarrassed "
    "grateful hopeful proud prepared nostalgic"
).split()
GLAD = "caring confident content excited faithful grateful hopeful impressed joyful proud trusting".split()
LEFT_OUT = "anticipating nostalgic prepared sentimental surprised".split()  # may be either
EMOJIS_OF = {
    "afraid": "sweat skull grimacing persevere",
    "angry": "angry rage triumph unamused",
    "annoyed": "unamused triumph angry expressionless",
    "anticipating": "grin sparkles raised_hands pray",
    "anxious": "sweat persevere grimacing confounded",
    "apprehensive": "confused grimacing sweat persevere",
    "ashamed": "see_no_evil pensive confounded flushed",
    "caring": "heart two_hearts yellow_heart blush",
    "confident": "muscle sunglasses 100 smirk",
    "content": "relaxed relieved blush smile",
    "devastated": "sob broken_heart cry disappointed",
    "disappointed": "disappointed pensive unamused cry",
    "disgusted": "mask confounded unamused no_good",
    "embarrassed": "flushed see_no_evil sweat_smile grimacing",
    "excited": "grin raised_hands smile sparkles",
    "faithful": "heart blue_heart purple_heart 100",
    "furious": "rage angry triumph gun",
    "grateful": "pray blush raised_hands heart",
    "guilty": "speak_no_evil pensive see_no_evil sweat",
    "hopeful": "pray sparkles raised_hands relieved",
    "impressed": "clap heart_eyes ok_hand thumbsup",
    "jealous": "unamused triumph eyes pensive",
    "joyful": "grin smile joy raised_hands",
    "lonely": "pensive cry broken_heart disappointed",
    "nostalgic": "pensive relieved musical_note heart",
    "prepared": "ok_hand muscle thumbsup sunglasses",
    "proud": "clap muscle raised_hands thumbsup",
    "sad": "cry sob pensive broken_heart",
    "sentimental": "cry two_hearts heart blush",
    "surprised": "flushed eyes heart_eyes raised_hands",
    "terrified": "skull sweat grimacing persevere",
    "trusting": "blue_heart 100 yellow_heart ok_hand",
}


@dataclass(frozen=True)
class Half:
    """Labelled conversations: the speaker's first utterance and the situation behind it, with label and rating task."""

    first: list[str]
    situation: list[str]
    label: np.ndarray
    task: np.ndarray

    @property
    def valence(self) -> np.ndarray:
        """+1 glad, −1 not, 0 left out."""
        return np.array([0 if name in LEFT_OUT else 1 if name in GLAD else -1 for name in self.label])


def halves() -> dict[str, Half]:
    """The validation split cut in two in file order, between tasks; the test split of the copy has no labels."""
    path = data_folder() / "corpora" / "empathetic_dialogues_valid_test.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["emotion_label"] is not None]
    tasks = [list(group) for _, group in groupby(rows, key=_task)]
    ends = np.cumsum([len(group) for group in tasks])
    cut = int(ends[np.searchsorted(ends, len(rows) // 2)])
    known = {row["situation"] for row in rows[:cut]}
    held_out = [row for row in rows[cut:] if row["situation"] not in known]
    return {"development": _half(rows[:cut]), "held-out": _half(held_out)}


def _half(rows):
    names = np.array([LABELS[row["emotion_label"]] for row in rows])
    tasks = np.array([_task(row) for row in rows])
    return Half([row["turns"][0]["text"] for row in rows], [row["situation"] for row in rows], names, tasks)


def _task(row):
    return row["id"].split("_conv")[0]
