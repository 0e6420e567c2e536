"""A judge as reward: the paper's failure (Deriu and Cieliebak 2019, §5.2), then each guard alone, then all of them together.

    python benchmarks/reward.py [BOT] [FOLDER] [--judge SPEC] [--negatives SPEC] [--other SPEC] [--seeds 3] [--picture FILE]

BOT is the run folder of a trained bot, hred of ``quality_bots.py`` unless named; ``--judge`` rewards, ``--negatives`` is the same
judge trained with negatives, ``--other`` a judge (or any metric without references) that rewards nobody: unless named, AutoJudge on
appropriateness without and with negatives and on engagement, as ``quality_judges.py negatives`` trained them. Openers are the first
turns of DailyDialog's valid part, unless named: the default rate and weights of the guards were chosen by looking at runs from its
test part.

An episode is a self-talk of ten turns, its return the sum of ten scores; eight episodes make a step, and there are 80 steps. The
weights of the guards are in standard deviations of the judge's scores of what the bot said before. Every arm is trained with each
seed by ``train_reward`` in a process of its own; what is done stays in FOLDER (runs/reward unless named), and the same command goes
on from there. Only the guarded run may be stopped early; of the others the step is recorded. An anchor shortens the steps
too (by 1 + β): ``slower`` is the plain arm with steps as short, so that the one is not taken for the other.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

JUDGES = "runs/judges/negatives"
ARMS = ("plain", "slower", "negatives", "kl", "penalty", "guarded")
CURVES = ("return", "distinct-2", "universal", "repeated", "perplexity", "words")
SHOWN = {
    "return": 2, "empty": 0, "repeated": 0, "universal": 0, "distinct-2": 3, "perplexity": 1, "words": 1, "judge": 3, "other": 3,
}  # fmt: skip
COUNTS = ("empty", "repeated", "universal")


def main() -> None:
    """Train what is missing, draw, print."""
    asked = arguments()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.one:
        one(asked, *asked.one.split(":"))
        return
    jobs = [(arm, seed) for seed in range(asked.seeds) for arm in asked.arms]
    scale(asked, asked.judge)
    if {"negatives", "guarded"} & set(asked.arms):
        scale(asked, asked.negatives)
    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(lambda job: in_own_process(asked, *job), jobs))
    draw(asked)
    print(page(asked))


def arguments() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?", default="runs/quality/hred/run")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/reward"))
    parser.add_argument("--judge", default=f"{JUDGES}/zhao-autojudge")
    parser.add_argument("--negatives", default=f"{JUDGES}/zhao-autojudge-negatives-empty-repeated-universal-shuffled-other")
    parser.add_argument("--other", default=f"{JUDGES}/engage-autojudge")
    parser.add_argument("--picture", type=Path, help="where the curves go; reward.png in FOLDER unless named")
    parser.add_argument("--openers", default="")
    parser.add_argument("--context", type=int, default=2, help="turns of an opener")
    parser.add_argument("--where", nargs="*", default=[])
    parser.add_argument("--episodes", type=int, default=640)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--kl", type=float, default=2.0, help="standard deviations that a nat costs")
    parser.add_argument("--penalty", type=float, default=3.0, help="standard deviations that a degenerate reply costs")
    parser.add_argument("--check", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--arms", nargs="*", default=list(ARMS), choices=ARMS)
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if not asked.openers:
        from known_answers import DATA

        asked.openers, asked.where = str(DATA / "corpora" / "dailydialog.jsonl.gz"), ["split=valid"]
    return asked


def scale(asked: argparse.Namespace, judge: str) -> float:
    """The standard deviation of a judge's scores of what the bot says from some openers, kept in a file."""
    file = asked.folder / "scales.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    if judge not in known:
        from dialometer.bots._policy.reinforce import Learner
        from dialometer.contracts.train_policy import PolicyOptions
        from dialometer.core.registry import create
        from dialometer.flows.play.openers import choose, read_openers
        from dialometer.flows.train_policy.reward import make_reward_model

        bot, model = create("bot", asked.bot), make_reward_model(judge, (), alone=True)
        found = read_openers(asked.openers, context=asked.context, where=asked.where, format="", max_line=1 << 24)
        openers = [opener.turns for opener in choose(found, 20, 0)]
        scores = model(Learner(bot, model, PolicyOptions(turns=asked.turns)).look(bot, openers, 0)[0])[0]
        known[judge] = float(np.nanstd(scores))
        file.write_text(json.dumps(known, indent=1))
    return known[judge]


def in_own_process(asked: argparse.Namespace, arm: str, seed: int) -> None:
    """One arm with one seed; nothing is done where it is done."""
    if (asked.folder / f"{arm}-{seed}.json").exists():
        return
    quiet = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, __file__, *sys.argv[1:], "--one", f"{arm}:{seed}"]
    subprocess.run(command, check=True, env=os.environ | quiet)


def one(asked: argparse.Namespace, arm: str, seed: str) -> None:
    """Train one arm with one seed, and keep what was found."""
    import time

    from dialometer.contracts.train_policy import RewardRequest
    from dialometer.flows.train_policy.reward import label
    from dialometer.flows.train_policy.train_policy import train_reward

    judge = asked.negatives if arm in ("negatives", "guarded") else asked.judge
    unit, guarded = scale(asked, judge), arm == "guarded"
    beta = asked.kl * unit
    watch = [asked.other] if judge == asked.judge else [asked.other, asked.judge]
    used, folder = time.process_time(), asked.folder / f"{arm}-{seed}"
    report = train_reward(
        RewardRequest(
            asked.bot, (asked.openers,), judge, watch=tuple(watch), episodes=asked.episodes, batch=asked.batch,
            turns=asked.turns, rate=asked.rate / (1 + beta) if arm == "slower" else asked.rate,
            kl=beta if arm == "kl" or guarded else 0.0,
            penalty=asked.penalty * unit if arm == "penalty" or guarded else 0.0, stop=guarded, check=asked.check,
            context=asked.context, where=tuple(asked.where), seed=int(seed), output=str(folder),
        )
    )  # fmt: skip
    seconds = time.process_time() - used
    found = report.to_json() | {"cpu_seconds": seconds}
    for when in ("before", "after"):
        scores = found[when]
        scores["judge"] = scores.get(label(asked.judge), scores["return"] / asked.turns)
        scores["other"] = scores[label(asked.other)]
    part = asked.folder / f".{arm}-{seed}.json"
    part.write_text(json.dumps(found))
    part.rename(asked.folder / f"{arm}-{seed}.json")
    print(f"{arm} {seed}: {seconds:.0f} CPU-s", file=sys.stderr, flush=True)


def results(asked: argparse.Namespace) -> dict[str, list[dict]]:
    """Arm → what was found with each seed."""
    return {
        arm: [json.loads((asked.folder / f"{arm}-{seed}.json").read_text()) for seed in range(asked.seeds)]
        for arm in asked.arms
    }


def draw(asked: argparse.Namespace) -> None:
    """Curves of all arms in one picture."""
    from dialometer.flows.train_policy.reward import label
    from dialometer.report.figures.reward import reward_arms

    arms = {arm: [curve(asked.folder / f"{arm}-{seed}") for seed in range(asked.seeds)] for arm in asked.arms}
    title = "Reward and independent measures, a line per seed"
    reward_arms(asked.picture or asked.folder / "reward.png", arms, [*CURVES, label(asked.other)], title=title)


def curve(run: Path) -> list[dict[str, float]]:
    """The records of a run."""
    import csv

    with (run / "reward.csv").open(newline="") as file:
        return [{key: float(value or "nan") for key, value in row.items()} for row in csv.DictReader(file)]


def page(asked: argparse.Namespace) -> str:
    """The table, why early stopping was met, and conversations."""
    from dialometer.flows.train_policy.reward import label

    found = results(asked)
    judges = [label(spec) if spec else "none" for spec in (asked.judge, asked.negatives, asked.other)]
    some = found[asked.arms[0]][0]
    replies = asked.check * asked.turns
    head = [
        f"Bot: {some['name']}. Judge: {judges[0]}; with negatives: {judges[1]}; other: {judges[2]}.",
        f"{asked.episodes} episodes of {asked.turns} turns, {asked.batch} a step, rate {asked.rate:g}; {asked.seeds} seeds.",
        f"A nat of KL costs {asked.kl:g} sd of the judge's scores, a degenerate reply {asked.penalty:g} sd.",
        f"Before and after are {asked.check} episodes from openers that were not learnt from, the same for all arms with a seed;",
        f"counts are of their {replies} replies, and all numbers are means over seeds.",
        "`judge` is the plain judge's mean score of a reply in every arm; `return` is in the arm's own judge's units.",
    ]  # fmt: skip
    lines = [f"| arm | {' | '.join(SHOWN)} | early stopping at step |", "|---|" + "---|" * (len(SHOWN) + 1)]
    lines.append(f"| before | {' | '.join(cell(found[asked.arms[0]], 'before', name, replies) for name in SHOWN)} | |")
    for arm, runs in found.items():
        cells = [cell(runs, "after", name, replies) for name in SHOWN]
        if arm in ("negatives", "guarded"):
            cells[0] = f"{cell(runs, 'before', 'return', replies)} → {cells[0]}"
        rang = ", ".join(f"{run['early_stopping_step'] or '–'}{' (stopped)' if run['stopped'] else ''}" for run in runs)
        lines.append(f"| {arm} | {' | '.join(cells)} | {rang} |")
    why = [f"- {arm}, seed {seed}, step {run['early_stopping_step']}: {'; '.join(run['reasons'])}"
           for arm, runs in found.items() for seed, run in enumerate(runs) if run["early_stopping_step"]]  # fmt: skip
    curves = [f"![Reward and independent measures by step]({asked.picture.name})", ""] if asked.picture else []
    return "\n".join(
        [*head, "", *lines, "", *curves, "Why it was met:", "", *(why or ["- it never did"]), "", *samples(asked)]
    )


def cell(runs: list[dict], when: str, name: str, replies: int) -> str:
    """A mean over seeds; shares of degenerate replies as counts."""
    values = [np.nan if run[when].get(name) is None else run[when][name] for run in runs]
    number = float(np.mean(values)) * (replies if name in COUNTS else 1)
    return "–" if np.isnan(number) else f"{number:.{SHOWN[name]}f}"


def samples(asked: argparse.Namespace) -> list[str]:
    """The first conversation of each arm, before and after."""
    from dialometer.data import open_items

    lines = ["Conversations from the first opener, seed 0:"]
    for number, arm in enumerate(asked.arms):
        played = list(open_items(str(asked.folder / f"{arm}-0" / "episodes.jsonl")))
        for talk in [played[0], played[len(played) // 2]] if number == 0 else [played[len(played) // 2]]:
            lines += ["", f"**{'before' if talk.system == 'before' else arm}**", ""]
            lines += [f"- {turn.speaker}: {turn.text or '(nothing)'}" for turn in talk.turns]
    return lines


if __name__ == "__main__":
    main()
