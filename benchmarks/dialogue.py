"""Features of whole conversations: what ``score`` takes for five bots' self-play, and how it grows.

Conversations are self-play in shape: an opener, then turns that are all the bot's, drawn by each bot from a pool of DailyDialog's
utterances of its own; one bot has few things to say, another says everything twice. Every size is scored twice through the command
line: with an empty cache, which encodes each distinct utterance, and again with the vectors that this left on disk.

    python benchmarks/dialogue.py [--turns 10] [--conversations 100] [--growth 10000] [--pool 20000] [METRIC …]
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from children import child
from retrieval import talks_of

BOTS = 5
METRICS = ("turns", "conversation", "hybrid")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", nargs="*", default=METRICS)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--conversations", type=int, default=100, help="of each of the five bots")
    parser.add_argument("--growth", type=int, default=10_000, help="conversations of the last row")
    parser.add_argument("--pool", type=int, default=20_000, help="different utterances to draw from")
    asked = parser.parse_args()
    pool = list(dict.fromkeys(chain.from_iterable(talks_of("dailydialog"))))[: asked.pool]
    small = BOTS * asked.conversations
    sizes = [size for size in (small, small * 4) if size < asked.growth]
    print(f"{BOTS} bots, {asked.turns} turns after the opener; {', '.join(asked.metrics)}\n")
    print("| conversations | replies | different texts | cache | CPU s | wall s | replies / CPU s | peak RSS MB |")
    print("|---|---|---|---|---|---|---|---|")
    for size in [*sizes, asked.growth]:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name, "talks.jsonl")
            different = write(file, pool, size, asked.turns)
            os.environ["DIALOMETER_CACHE"] = str(Path(name, "cache"))
            for cache in ("empty", "kept vectors"):
                cpu, wall, peak = child(command(file, Path(name, cache.replace(" ", "-")), asked.metrics))
                replies = size * asked.turns
                row = f"{cpu:.1f} | {wall:.1f} | {replies / cpu:,.0f} | {peak:,.0f}"
                print(f"| {size:,} | {replies:,} | {different:,} | {cache} | {row} |", flush=True)


def command(file: Path, folder: Path, metrics: list[str]) -> list[str]:
    """``dialometer score`` with the cache in use."""
    wanted = [part for metric in metrics for part in ("-m", metric)]
    return [sys.executable, "-m", "dialometer", "score", str(file), *wanted, "-o", str(folder), "--quiet"]


def write(file: Path, pool: list[str], size: int, turns: int) -> int:
    """A file of conversations; how many different texts they hold."""
    made = list(talks(pool, size, turns))
    file.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return len({turn["text"] for row in made for turn in row["turns"]})


def talks(pool: list[str], size: int, turns: int) -> Iterator[dict]:
    """Conversations of the bots in turn; every bot talks with itself about an opener that all of them get."""
    for number in range(size):
        bot, talk = number % BOTS, number // BOTS
        draw = np.random.default_rng([bot, talk])
        own = np.arange(bot, len(pool), BOTS) if bot else np.arange(50)  # the first has fifty things to say
        said = [pool[place] for place in draw.choice(own, turns)]
        said = [said[place // 2 * 2] for place in range(turns)] if bot == 1 else said  # the second says them twice
        opener = {"speaker": "user", "text": pool[talk % len(pool)]}
        spoken = [{"speaker": "ab"[place % 2], "text": text} for place, text in enumerate(said)]
        yield {"id": f"bot{bot}-{talk}", "system": f"bot{bot}", "group": f"opener {talk}", "turns": [opener, *spoken]}


if __name__ == "__main__":
    main()
