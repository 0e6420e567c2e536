"""A human study of the same conversations: what is asked, on which scale, and under which blind codes.

Codes come from the seed and a conversation's own id alone, so that ratings find their conversations without a list of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialometer.core.errors import DataError, UsageError
from dialometer.core.files import read_toml
from dialometer.core.seeds import derived
from dialometer.flows.compare.dialogues import Piece, Talks
from dialometer.flows.shared.rated_items import read_scale

STUDY, ITEMS, SHEET, KEY = "study.toml", "items.jsonl", "sheet.csv", "key.json"
WAY = "--study DIR with a new or empty folder"
QUESTIONS = {
    "overall": "How good is this conversation as a whole?",
    "fluency": "How well is it written: grammatical, natural, easy to read?",
    "coherence": "How well does each turn fit what was said before?",
    "engagement": "How gladly would you go on with this conversation?",
    "diversity": "How varied is what is said?",
    "relatedness": "How well do the replies stay with what is talked about?",
    "empathy": "How well do the replies answer the feelings that are expressed?",
}


@dataclass(frozen=True)
class Plan:
    """The questions, the scale, the seed of codes and order, and after how many items an attention check comes (0: never)."""

    qualities: tuple[str, ...]
    scale: tuple[float, float]
    seed: int
    checks: int

    def code(self, given: str) -> str:
        """The blind name of a conversation; it begins with a letter, or a spreadsheet would take some for numbers."""
        return "i" + f"{derived(self.seed, 'study item', given):016x}"[-11:]

    def checks_for(self, items: int) -> dict[str, float]:
        """The blind names of the attention checks among so many items, and the answer that each asks for."""
        count = items // self.checks if self.checks else 0
        ends = self.scale
        return {
            self.code(f"\x1fcheck {number}"): ends[derived(self.seed, "check answer", number) % 2]
            for number in range(count)
        }

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"qualities": list(self.qualities), "scale": list(self.scale), "seed": self.seed, "every": self.checks}


def make_plan(qualities: Sequence[str], scale: str, seed: int, checks: int) -> Plan:
    """From options, checked."""
    bounds = read_scale(scale)
    if bounds is None:
        raise UsageError("a study needs a scale", "--scale 1,5")
    if not qualities or any(not name.strip() or not name.isprintable() for name in qualities):
        raise UsageError("a study asks for one quality at least, by a name that can be read", "-q overall")
    if taken := {"item", "id", "rater", "value", "conversation"} & set(qualities):
        raise UsageError(f"a quality cannot be called {min(taken)!r}: a column of the sheet is", "-q overall")
    if len(set(qualities)) < len(qualities):
        raise UsageError("a quality is named twice", "name each -q once")
    if checks < 0:
        raise UsageError(f"--checks is 0 (none) or a number of items, not {checks}", "--checks 20")
    return Plan(tuple(qualities), bounds, seed, checks)


def plan_of(folder: str, qualities: Sequence[str], scale: str, seed: int, checks: int) -> Plan:
    """The plan of a study that was written before, which may have been reworded since; else that of the options."""
    path = Path(folder) / STUDY
    if not folder or not path.exists():
        return make_plan(qualities, scale, seed, checks)
    try:
        told = read_toml(path, WAY)
        names = [str(quality["name"]) for quality in told["quality"]]
        low, high = float(told["scale"]["low"]), float(told["scale"]["high"])
        return make_plan(names, f"{low!r},{high!r}", int(told["seed"]), int(told["checks"]["every"]))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"is not a study ({error})", file=str(path), hint=WAY) from None


def study_pieces(talks: Talks) -> list[Piece]:
    """The conversations from contexts that every system has; all of them where there is none, as in files that do not pair."""
    there: dict[str, set[str]] = {}
    for piece in talks.pieces:
        there.setdefault(piece.block, set()).add(piece.system)
    common = {block for block, systems in there.items() if len(systems) == len(talks.systems)}
    return [piece for piece in talks.pieces if not common or piece.block in common]
