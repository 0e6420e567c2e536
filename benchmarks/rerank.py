"""Re-ranking end to end (Deriu and Cieliebak 2019, §5.1): bots alone beside a meta-bot that picks among their replies by a judge.

    python benchmarks/rerank.py [FOLDER] [--bots FOLDER] [--judges FOLDER] [-n 100]

``--bots`` is where ``quality_bots.py`` trained the bots, ``--judges`` where ``quality_judges.py negatives`` trained AutoJudge: on
appropriateness with negatives, which puts replies in order, and on engagement, which has no say. Self-talk of ten turns from the
first two turns of conversations of DailyDialog's test part that no judge saw. Everything is one ``dialometer compare``; it writes
the study for people beside the comparison (FOLDER/study).
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from known_answers import DATA

BOTS = ("tfidf", "hred", "vhred")
JUDGE = "zhao-autojudge-negatives-empty-repeated-universal-shuffled-other"


def main() -> None:
    """Run the command, and print what it found with short names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/rerank"))
    parser.add_argument("--bots", type=Path, default=Path("runs/quality"))
    parser.add_argument("--judges", type=Path, default=Path("runs/judges/negatives"))
    parser.add_argument("-n", type=int, default=100)
    asked = parser.parse_args()
    runs = [str(asked.bots / name / "run") for name in BOTS]
    meta = f'rerank(bots="{";".join(runs)}",metric={asked.judges / JUDGE},k=5)'
    openers = str(DATA / "corpora" / "dailydialog.jsonl.gz")
    command = ["compare", *(word for bot in (*runs, meta) for word in ("--a", bot)), "--openers", openers]
    command += ["--where", "split=test", "--context", "2", "-n", str(asked.n), "--turns", "10"]
    command += [
        "-m",
        str(asked.judges / "engage-autojudge"),
        "-m",
        str(asked.judges / JUDGE),
        "-m",
        "length",
        "-m",
        "distinct",
    ]
    command += ["--study", str(asked.folder / "study"), "-q", "overall", "-o", str(asked.folder / "compare")]
    done = subprocess.run([sys.executable, "-m", "dialometer", *command, "--quiet"], check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    print(page(json.loads((asked.folder / "compare" / "compare.json").read_text())))


def page(found: dict[str, Any]) -> str:
    """Means of each bot, then the meta-bot against each of the others; what it chose by, and its kin, are marked."""
    columns = [name for name in found["independent"] if not name.endswith("-adjusted")]
    lines = [
        f"{found['openers']['seen']} of {found['openers']['found']} openers left out: a judge saw them in training",
        "",
    ]
    lines += ["| | " + " | ".join(mark(found, name) for name in columns) + " |", "|---|" + "---|" * len(columns)]
    for system, one in found["systems"].items():
        cells = [one["columns"].get(name, {}) for name in columns]
        lines.append(f"| {short(system)} | " + " | ".join(f"{cell['mean']:.3f}" if cell else "" for cell in cells) + " |")
    lines += ["", "| meta-bot less | column | difference [95%] | effect | p, Holm |", "|---|---|---|---|---|"]
    for pair in found["pairs"]:
        if "rerank" in pair["b"] and pair["metric"] in columns:
            ends = f"{-pair['difference']:+.3f} [{-pair['high']:+.3f}, {-pair['low']:+.3f}]"
            effect = "" if pair.get("effect") is None else f"{-pair['effect']:+.2f}"
            p = "" if pair["p_holm"] is None else f"{pair['p_holm']:.2g}"
            lines.append(f"| {short(pair['a'])} | {mark(found, pair['metric'])} | {ends} | {effect} | {p} |")
    return "\n".join([*lines, "", "° chosen by this metric or its kin: no independent evidence"])


def mark(found: dict[str, Any], name: str) -> str:
    """A column's short name."""
    return short(name) + ("" if found["independent"][name] else " °")


def short(name: str) -> str:
    """A bot or a judge without its folder."""
    if name.startswith("rerank("):
        return "meta-bot"
    known = {JUDGE: "appropriateness", "engage-autojudge": "engagement"}
    part = name.removesuffix("/run").split("/")[-1].split(":")[0]
    return known.get(part, part)


if __name__ == "__main__":
    main()
