"""Runs of play, and files that they begin with."""

import json

from dialometer.contracts.play import PlayRequest
from dialometer.data import open_items
from dialometer.flows.play.play import play


def played(folder, *a, **options):
    """The report of a run, and its conversations as they are read back."""
    report = play(PlayRequest(a, output=str(folder), **({"n": 6, "turns": 4} | options)))
    return report, list(open_items(report.dialogues))


def write(path, rows):
    """Rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def talks(folder, lengths):
    """A file of conversations that are so long."""
    said = [[f"talk {i} turn {k}" for k in range(size)] for i, size in enumerate(lengths)]
    return write(folder / "talks.jsonl", [{"id": f"d{i}", "turns": turns, "half": i % 2} for i, turns in enumerate(said)])


def given(one):
    """The texts of the opener."""
    return [turn.text for turn in one.turns if turn.extra.get("given")]
