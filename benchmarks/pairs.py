"""Real pairs for the benchmarks: adjacent turns of DailyDialog, 4 to 18 tokens, no text used twice."""

import gzip
import json
import os
from itertools import islice, pairwise
from pathlib import Path


def data_folder() -> Path:
    """The shared data sets: DIALOMETER_DATA, or the folder beside the repository."""
    return Path(os.environ.get("DIALOMETER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def distinct_pairs(n: int) -> tuple[list[str], list[str]]:
    """n responses and the turns they answer; all 2n texts differ (tools that remember texts gain nothing)."""
    path = data_folder() / "corpora" / "dailydialog.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        pairs = list(islice(_fresh(file), n))
    if len(pairs) < n:
        raise SystemExit(f"only {len(pairs)} distinct pairs in {path}: ask for fewer with --pairs")
    return [reply for _, reply in pairs], [turn for turn, _ in pairs]


def _fresh(lines):
    seen = set()
    for line in lines:
        for before, after in pairwise(json.loads(line)["turns"]):
            turn, reply = " ".join(before["text"].split()), " ".join(after["text"].split())
            right = all(4 <= len(text.split()) <= 18 for text in (turn, reply))
            if right and turn != reply and not {turn, reply} & seen:
                seen |= {turn, reply}
                yield turn, reply
