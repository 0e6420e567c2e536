"""How fast bots learn and talk, on one thread: ours beside a straightforward padded, step-by-step HRED in the same run.

python benchmarks/bots.py --training                 target symbols per CPU-second, hidden 400, batch 32
python benchmarks/bots.py --generation [--talks N]   greedy self-play of 10 turns, at batch 1 … 80
python benchmarks/bots.py --play [RUN …]             100 conversations × 10 turns for five bots in one command
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from bots_baseline import LONGEST, Padded, SlowSpeech, padded
from retrieval import talks_of

from dialometer.core.registry import create
from dialometer.core.types import Turn

SYMBOLS, EMBEDDING, HIDDEN, CONTEXT, BATCH = 20_000, 300, 400, 1000, 32
STEPS, ROUNDS = 4, 3


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for part in ("training", "generation", "play"):
        parser.add_argument(f"--{part}", action="store_true")
    parser.add_argument("--talks", type=int, default=1500)
    parser.add_argument("runs", nargs="*")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if asked.training:
        print(training_table())
    if asked.generation:
        print(generation_table(asked.talks))
    if asked.play:
        print(play_table(asked.runs))


def training_table() -> str:
    """Symbols learnt from per CPU-second: forward, backward, Adam; interleaved rounds, the best of each."""
    from dialometer.nets.dialogue.data import EncodedDialogues
    from dialometer.nets.dialogue.subwords import Vocabulary

    talks = talks_of("dailydialog", "train")
    vocabulary = Vocabulary.learn([text for talk in talks for text in talk], SYMBOLS, "words")
    data = EncodedDialogues.of(talks[:2000], vocabulary, LONGEST)
    plan = data.plan(np.arange(len(data)), BATCH, seed=0, epoch=0)[: STEPS + 1]
    ways = {
        "padded, step by step": _baseline(len(vocabulary), data),
        "ours": _ours(len(vocabulary), EMBEDDING, data),
        f"ours, softmax over {HIDDEN} as the baseline's": _ours(len(vocabulary), HIDDEN, data),
    }
    speeds = dict.fromkeys(ways, 0.0)
    for _ in range(ROUNDS):
        for name, step in ways.items():
            speeds[name] = max(speeds[name], _speed(step, plan))
    first = speeds["padded, step by step"]
    cells = np.concatenate([np.diff(data.starts)[slice(*data.talks[[t, t + 1]])] for batch in plan for t in batch])
    waste = 1 - cells.sum() / (len(cells) * LONGEST)
    lines = [f"| {name} | {speed:,.0f} | {speed / first:.1f}× |" for name, speed in speeds.items()]
    return "\n".join(
        [
            f"HRED, hidden {HIDDEN}, context {CONTEXT}, embedding {EMBEDDING}, {len(vocabulary):,} words, batch {BATCH}.",
            f"Of the baseline's cells {waste:.0%} are padding, of ours none; ours shares word vectors with the softmax.",
            "",
            "| | symbols per CPU-second | ratio |",
            "|---|---|---|",
            *lines,
        ]
    )


def _speed(step, plan) -> float:
    step(plan[0])
    used = time.process_time()
    symbols = sum(step(batch) for batch in plan[1:])
    return symbols / (time.process_time() - used)


def _baseline(symbols: int, data):
    torch.manual_seed(0)
    net = Padded(symbols, EMBEDDING, HIDDEN, CONTEXT)
    adam = torch.optim.Adam(net.parameters())

    def step(batch: np.ndarray) -> int:
        talks = [
            [data.flat[data.starts[row] : data.starts[row + 1]] for row in range(data.talks[t], data.talks[t + 1])]
            for t in batch
        ]
        matrices, lengths = padded([talk for talk in talks if len(talk) > 1])
        _learn(net, adam, net(matrices, lengths, 1))
        return sum(int(long[1:].sum()) for long in lengths)

    return step


def _ours(symbols: int, embedding: int, data):
    from dialometer.nets.dialogue.hred import HredNetwork
    from dialometer.nets.dialogue.layers import NetworkSizes
    from dialometer.nets.dialogue.training import Step, TrainingOptions, loss_of

    torch.manual_seed(0)
    net = HredNetwork(NetworkSizes(symbols, embedding, HIDDEN, CONTEXT))
    adam = torch.optim.Adam(net.parameters())

    def step(batch: np.ndarray) -> int:
        _learn(net, adam, loss_of(net, data, Step(0, batch), TrainingOptions()))
        return int(data.sizes[batch].sum())

    return step


def _learn(net, adam, loss: torch.Tensor) -> None:
    adam.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    adam.step()


def generation_table(number: int) -> str:
    """Replies of one trained bot, asked in its own way and in the plain way; both say the same."""
    widths = f"hidden={HIDDEN},embedding={EMBEDDING},context={CONTEXT},units=words,vocabulary={SYMBOLS}"
    spec = f"hred({widths},epochs=1,limit={LONGEST},longest={LONGEST})"
    bot = create("bot", spec).fit(talks_of("dailydialog", "train")[:number])
    slow = SlowSpeech(bot)
    openers = [[talk[0]] for talk in talks_of("dailydialog", "test")]
    lines = [
        "| batch | ours, conversations per CPU-minute | symbols per CPU-second | plain | symbols | ratio | the same replies |",
        "|---|---|---|---|---|---|---|",
    ]
    for batch, count in ((80, 80), (16, 32), (1, 6)):
        quick, plain = _rounds(bot, slow, openers[:count], batch)
        same = np.mean([a == b for a, b in zip(quick[2], plain[2], strict=True)])
        cells = (
            f"{quick[0]:,.0f}",
            f"{quick[1]:,.0f}",
            f"{plain[0]:,.0f}",
            f"{plain[1]:,.0f}",
            f"{quick[1] / plain[1]:.1f}×",
        )
        lines.append(f"| {batch} | {' | '.join(cells)} | {same:.1%} |")
    return "\n".join(
        [f"`{spec}`, {number:,} conversations; greedy self-play of 10 turns from openers of the test part.", "", *lines]
    )


def _rounds(bot, slow: SlowSpeech, openers: list[list[str]], batch: int) -> tuple:
    """The best of interleaved rounds, after a first taste; what ours remembers of a round is forgotten before the next."""
    best = [(0.0, 0.0, []), (0.0, 0.0, [])]
    for number in range(1 + ROUNDS):
        for way, say in enumerate((_fast(bot), slow.say)):
            bot.net().eval()
            found = _talked(say, openers[:2] if number == 0 else openers, batch)
            best[way] = max(best[way], found, key=lambda one: one[1]) if number else best[way]
    return tuple(best)


def _fast(bot):
    return lambda contexts: [r[0] for r in bot.reply([tuple(Turn("a", text) for text in c) for c in contexts], n=1, seed=0)]


def _talked(say, openers: list[list[str]], batch: int) -> tuple[float, float, list[str]]:
    """Conversations per CPU-minute, symbols per CPU-second, everything that was said."""
    talks = [list(opener) for opener in openers]
    used, symbols = time.process_time(), 0
    for at in range(0, len(talks), batch):
        some = talks[at : at + batch]
        for _ in range(10):
            for talk, reply in zip(some, say(some), strict=True):
                talk.append(reply)
                symbols += len(reply.split()) + 1
    spent = time.process_time() - used
    return 60 * len(talks) / spent, symbols / spent, [text for talk in talks for text in talk[1:]]


def play_table(runs: list[str]) -> str:
    """One ``play`` command for five bots; its wall and CPU seconds and its memory."""
    with tempfile.TemporaryDirectory() as folder:
        bots = (
            [*runs, "eliza", "alice", "parrot", "constant"][:5]
            if runs
            else ["eliza", "alice", "parrot", "constant", _trained(folder)]
        )
        command = [
            sys.executable,
            "-m",
            "dialometer",
            "play",
            "-n",
            "100",
            "--turns",
            "10",
            "-o",
            f"{folder}/play",
            "--quiet",
        ]
        started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, *(part for bot in bots for part in ("--a", bot))], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        lines = (Path(folder, "play", "dialogues.jsonl")).read_text().count("\n")
    names = ", ".join(Path(bot).name for bot in bots)
    return "\n".join(
        [
            "| bots | conversations | wall, s | CPU, s | memory, MB |",
            "|---|---|---|---|---|",
            f"| {names} | {lines} | {time.monotonic() - started:.1f} | {spent:.1f} | {after.ru_maxrss / 1024:.0f} |",
        ]
    )


def _trained(folder: str) -> str:
    place = f"{folder}/tfidf"
    create("bot", "tfidf").fit(talks_of("dailydialog", "train")).save(Path(place))
    return place


if __name__ == "__main__":
    main()
