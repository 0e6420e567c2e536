"""The published DSTC6 table beside ours: corpus BLEU-1 … 4, METEOR, ROUGE-L and CIDEr of 20 systems, 11 references.

python benchmarks/known_answers.py
"""

import json
import os
import tempfile
from pathlib import Path

from dialometer.contracts.score import ScoreRequest, ScoreResult
from dialometer.flows.score.score import score

DATA = Path(os.environ.get("DIALOMETER_DATA") or Path(__file__).parents[2] / "shared" / "data")
COLUMNS = {f"bleu-{n}": f"Bleu_{n}" for n in range(1, 5)} | {"meteor": "METEOR", "rouge-l": "ROUGE_L", "cider": "CIDEr"}
METRICS = ("bleu(variant=coco,tok=whitespace)", "rouge(variant=coco,tok=whitespace)", "cider(variant=coco,tok=whitespace)")


def main() -> None:
    """Score all 40,000 responses and print both tables in one."""
    published = json.loads((DATA / "turns" / "dstc6_t2_system_scores.json").read_text())["objective"]
    with tempfile.TemporaryDirectory() as folder:
        request = ScoreRequest(
            (str(DATA / "turns" / "dstc6_t2.jsonl.gz"),), (*METRICS, "meteor"), resamples=0, output=f"{folder}/run"
        )
        report = score(request)
    print(table(published, report))


def table(published: dict[str, dict[str, float]], report: ScoreResult) -> str:
    """A row per system, ours under theirs; the last row is the largest difference."""
    lines = [f"| system | | {' | '.join(COLUMNS)} |", "|---|---|" + "---|" * len(COLUMNS)]
    worst = dict.fromkeys(COLUMNS, 0.0)
    for system, theirs in published.items():
        mine = {column: report.cells[system][column].corpus for column in COLUMNS}
        worst = {column: max(worst[column], abs(mine[column] - theirs[name])) for column, name in COLUMNS.items()}
        lines.append(f"| {system} | published | {' | '.join(f'{theirs[name]:.6f}' for name in COLUMNS.values())} |")
        lines.append(f"| | ours | {' | '.join(f'{value:.6f}' for value in mine.values())} |")
    lines.append(f"| largest difference | | {' | '.join(f'{value:.1e}' for value in worst.values())} |")
    recipes = sorted({report.recipes[column] for column in COLUMNS})
    return "\n".join([*lines, "", *(f"- `{recipe}`" for recipe in recipes)])


if __name__ == "__main__":
    main()
