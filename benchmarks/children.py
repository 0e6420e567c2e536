"""What a user waits for: the command line as a child process, its CPU seconds and its peak memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SACREBLEU = """
import json, sys
from sacrebleu.metrics.bleu import BLEU
scorer = BLEU(effective_order=True)
with open(sys.argv[1], encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
print(sum(scorer.sentence_score(row["response"], row["references"]).score for row in rows))
"""


def start_table(responses: list[str], references: list[str], rounds: int) -> str:
    """CPU seconds of a cold process that scores 2,000 pairs, ours and sacrebleu's; files are warm in both."""
    best = {"dialometer": float("inf"), "sacrebleu": float("inf")}
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "pairs.jsonl")
        write(file, responses, references, len(responses))
        for number in range(rounds):
            command = score_command(file, Path(name, f"run-{number}"), "bleu")
            best["dialometer"] = min(best["dialometer"], child(command)[0])
            best["sacrebleu"] = min(best["sacrebleu"], child([sys.executable, "-c", SACREBLEU, str(file)])[0])
    ratio = best["dialometer"] / best["sacrebleu"]
    return "\n".join(
        [
            f"start-up plus {len(responses):,} pairs, CPU seconds, best of {rounds} (goal: 1.0 or less)",
            "",
            "| dialometer score -m bleu | sacrebleu: import and sentence scores | ours ÷ theirs |",
            "|---|---|---|",
            f"| {best['dialometer']:.2f} | {best['sacrebleu']:.2f} | {ratio:.2f} |",
        ]
    )


def growth_table(responses: list[str], references: list[str], sizes: list[int]) -> str:
    """Seconds and peak memory of ``score`` as the file grows: additive metrics, and one that needs the whole collection."""
    lines = ["| metrics | pairs | CPU s | wall s | pairs / CPU s | peak RSS MB |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            file = Path(name, "pairs.jsonl")
            write(file, responses, references, size)
            for metrics in (("bleu", "rouge"), ("cider",)):
                cpu, wall, peak = child(score_command(file, Path(name, f"run-{size}-{metrics[0]}"), *metrics))
                row = f"| {', '.join(metrics)} | {size:,} | {cpu:.2f} | {wall:.2f} | {size / cpu:,.0f} | {peak:,.0f} |"
                lines.append(row)
    return "\n".join(lines)


def cores_table(responses: list[str], references: list[str], size: int, workers: list[int]) -> str:
    """Wall seconds of ``score -m bleu -m rouge -m meteor`` with one process and with several."""
    lines = ["| engine | wall s | CPU s | speed-up |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "pairs.jsonl")
        write(file, responses, references, size)
        first = 0.0
        for engine in ["serial", *(f"processes:{number}" for number in workers)]:
            command = score_command(file, Path(name, engine.replace(":", "-")), "bleu", "rouge", "meteor(variant=nltk)")
            cpu, wall, _ = child([*command, "--engine", engine])
            first = first or wall
            lines.append(f"| {engine} | {wall:.2f} | {cpu:.2f} | {first / wall:.2f}× |")
    return "\n".join([f"{size:,} pairs through the command line", "", *lines])


def score_command(file: Path, folder: Path, *metrics: str) -> list[str]:
    """``dialometer score`` over a file into a fresh folder, no token tables kept."""
    wanted = [part for metric in metrics for part in ("-m", metric)]
    return [sys.executable, "-m", "dialometer", "score", str(file), *wanted, "-o", str(folder), "--no-cache", "--quiet"]


def child(command: list[str]) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak memory in MB of one child (and what it waited for)."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        output = process.stdout.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … failed:\n{output}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024


def write(file: Path, responses: list[str], references: list[str], size: int) -> None:
    """A JSON-lines file of ``size`` items: the pairs again and again, each time with a word changed."""
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(item) + "\n" for item in _items(responses, references, size))


def _items(responses: list[str], references: list[str], size: int) -> Iterator[dict]:
    for number in range(size):
        time_round, place = divmod(number, len(responses))
        mark = f" {time_round}" if time_round else ""
        texts = {"response": responses[place] + mark, "references": [references[place] + mark]}
        yield {"id": f"pair-{number}", "context": [], **texts, "system": f"bot-{number % 2}"}
