"""Re-ranking end to end (Deriu and Cieliebak 2019, §5.1): bots alone beside a meta-bot that picks among their replies by a judge.

    python benchmarks/rerank.py [FOLDER] [--bots FOLDER] [--judges FOLDER] [-n 100]

``--bots`` is where ``quality_bots.py`` trained the bots, ``--judges`` where ``quality_judges.py negatives`` trained AutoJudge: on
appropriateness with negatives, which puts replies in order, and on engagement, which has no say. Self-talk of ten turns from the
first two turns of conversations of DailyDialog's test part that no judge saw. Everything is one ``dialometer compare``; it writes
the study for people beside the comparison (FOLDER/study).
"""

import argparse
import subprocess
import sys
from pathlib import Path

from known_answers import DATA

BOTS = ("tfidf", "hred", "vhred")
JUDGE = "zhao-autojudge-negatives-empty-repeated-universal-shuffled-other"


def main() -> None:
    """Run the command, and print what it prints with short names for folders."""
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
    command += ["--where", "split=test", "--context", "2", "-n", str(asked.n), "--turns", "10", "--against", meta]
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
    done = subprocess.run([sys.executable, "-m", "dialometer", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    said = done.stdout
    for long, short in (
        (meta, "rerank"),
        (meta.replace('"', ""), "rerank"),
        (f"{asked.judges}/", ""),
        (f"{asked.bots}/", ""),
    ):
        said = said.replace(long, short)
    print(f"```text\n{said.rstrip()}\n```")


if __name__ == "__main__":
    main()
