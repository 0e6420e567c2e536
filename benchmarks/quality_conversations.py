"""M_H against people: leave-bot-out on rated conversations, each feature alone, chance, other sets, votes.

    python benchmarks/quality_conversations.py PART [FOLDER]

PART is bots, models, features, turns, across or votes. FOLDER (runs/conversations unless named) keeps the derived files and
the runs of ``train`` and ``meta``: the same command goes on where it was stopped. Scaling, penalty, bend and mixture are chosen in
the training folds, and the permutation p goes through all of it. What was tried while the form was being made:
docs/design/hybrid.md.
"""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from conversation_sets import applied, changed, convai2, dialogues, sets, slug, written

from dialometer.contracts.meta import MetaRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core.registry import create
from dialometer.core.types import Dialogue
from dialometer.flows.meta.meta import meta
from dialometer.flows.train.train import train
from dialometer.stats.correlation.correlate import correlate, pearson
from dialometer.stats.correlation.system_level import by_system
from dialometer.stats.validation.bot_level import over_bots

MOST = 7  # features of a table by turn: those that part best and worst most
MODELS = ("hybrid", "hybrid(model=ridge)", 'hybrid(model=ridge,prior="zero")', "hybrid(model=ols)")


def main() -> None:
    """One part, as tables."""
    parts = {
        "bots": of_bots,
        "models": of_models,
        "features": of_features,
        "turns": turn_by_turn,
        "across": across,
        "votes": votes,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=tuple(parts))
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/conversations"))
    parser.add_argument("--pictures", type=Path, help="with turns: where to put the lines that part best and worst most")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    parts[asked.part](asked.folder)
    if asked.pictures:
        put_pictures(asked.folder, asked.pictures)


def trained(folder: Path, name: str, items: list[Dialogue], quality: str, spec: str = "hybrid") -> dict[str, Any]:
    """What ``train`` found; resumed or read where it was done before."""
    file = written(folder, name, items)
    output = str(folder / slug(f"{name}-{quality}-{spec}"))
    found: dict[str, Any] = train(
        TrainRequest(spec, (str(file),), quality=quality, metrics=("length",), output=output)
    ).to_json()
    return found


def of_bots(folder: Path) -> None:
    """Every quality of every set: over bots and over conversations, with intervals, against chance."""
    print(
        "p: share of 499 dealings of the ratings that get as far, everything chosen anew; by chance: the mean of these.\n"
    )
    for name, (items, qualities) in sets().items():
        print(f"### {name}: {len(items)} conversations of {len({item.system for item in items})} bots\n")
        head = "| quality | r over bots | p | by chance | ρ | p | τ | p | r with the folds' starts"
        print(f"{head} | r over conversations | p | as predicted | r within bots |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        for quality in qualities:
            print(row_of(quality, trained(folder, name, items, quality)["bots"]))
        print()


def row_of(quality: str, bots: dict[str, Any]) -> str:
    """One quality."""
    lead, plain = bots["over_bots"]["lead"], bots["over_bots"]["prediction"]
    over, each = bots["chance"].get("bots", {}), bots["over_dialogues"]
    ranks = [f"{shown(lead[kind]['r'])} | {shown(over.get('kinds', {}).get(kind), 3)}" for kind in ("spearman", "kendall")]
    return (
        f"| {quality} | {ends(lead['pearson'])} | {shown(over.get('p'), 3)} | {shown(over.get('mean'))} | {' | '.join(ranks)} "
        f"| {shown(plain['pearson']['r'])} | {ends(each['lead']['pearson'], 3)} | {shown(bots['chance']['dialogues']['p'], 3)} "
        f"| {shown(each['prediction']['pearson']['r'], 3)} | {ends(bots['within_bots'])} |"
    )


def of_models(folder: Path) -> None:
    """The main quality of every set by every model: how far it gets, and how many signs flip."""
    print("| set | model | r over bots | with the folds' starts | r, conversations | features that change sign |")
    print("|---|---|---|---|---|---|")
    for name, (items, qualities) in sets().items():
        for spec in MODELS:
            bots = trained(folder, name, items, qualities[0], spec)["bots"]
            own = next(iter(bots["stability"].values()))
            print(
                f"| {name} | {spec} | {ends(bots['over_bots']['lead']['pearson'])} "
                f"| {shown(bots['over_bots']['prediction']['pearson']['r'])} "
                f"| {shown(bots['over_dialogues']['lead']['pearson']['r'], 3)} | {100 * own['flipped']:.0f}% |"
            )
    print()


def of_features(folder: Path) -> None:
    """Each feature alone: over bots, over conversations, and within bots."""
    for name, (items, qualities) in sets().items():
        print(f"### {name}: {qualities[0]}\n")
        print("| feature | r over bots | ρ | p, exact | r, conversations | r within bots |")
        print("|---|---|---|---|---|---|")
        for one in trained(folder, name, items, qualities[0])["bots"]["features"]:
            over = one["over_bots"]
            print(
                f"| {one['name']} | {shown(over['pearson']['r'])} | {shown(over['spearman']['r'])} "
                f"| {shown(over['pearson']['p'], 4)} | {shown(one['over_dialogues'])} | {shown(one['within_bots'])} |"
            )
        print()


def turn_by_turn(folder: Path) -> None:
    """People against people, and the features of the best and the worst 100 conversations at their replies."""
    for name, (items, qualities) in sets().items():
        print(f"### {name}: {qualities[0]}\n")
        file, output = written(folder, name, items), str(folder / slug(f"{name}-turns"))
        found = meta(
            MetaRequest((str(file),), ("turns",), quality=(qualities[0],), permutations=99, output=output)
        ).to_json()
        print_people(found, qualities[0])
        for one in found["trajectories"]:
            print_ends(one)


def put_pictures(folder: Path, pictures: Path) -> None:
    """The first lines of the first set."""
    run = folder / slug(f"{next(iter(sets()))}-turns")
    found = json.loads((run / "meta.json").read_text(encoding="utf-8"))["trajectories"][0]
    pictures.mkdir(parents=True, exist_ok=True)
    for name in list(found["columns"])[:2]:
        (source,) = run.glob(f"figures/turns-{slug(found['by'])}-{slug(name)}.svg")
        shutil.copy(source, pictures / f"{slug(name)}.svg")
        print(f"![{name} of the best and worst conversations]({pictures.name}/{slug(name)}.svg)\n")


def print_people(found: dict[str, Any], quality: str) -> None:
    """How far raters agree, and how far a perfect score could get."""
    alpha, rows = found["agreement"]["qualities"][quality]["alpha"], found["ceiling"][quality]["rows"]
    print(f"Raters: α {shown(alpha['value'])} [{shown(alpha['low'])}, {shown(alpha['high'])}]. ", end="")
    told = [
        f"half of the raters against the other half by {row['level']} r {ends(row)}; a perfect score would have "
        f"{shown(row['reach'])}"
        for row in rows
        if row["kind"] == "pearson"
    ]
    print(f"{'; '.join(told)}.\n" if told else "One rating per conversation: no ceiling is known.\n")


def print_ends(one: dict[str, Any]) -> None:
    """Some features of both groups at the first replies, ± half of the 90% interval."""
    groups = list(one["groups"])
    turns = sorted({turn for column in one["columns"].values() for turn in column["turns"]})[:8]
    print(f"{one['by']}: {', '.join(f'{name} ({count})' for name, count in one['groups'].items())}\n")
    print(f"| feature | η² | group | {' | '.join(f'reply {turn}' for turn in turns)} |")
    print(f"|---|---|---|{'---|' * len(turns)}")
    for name, column in list(one["columns"].items())[:MOST]:
        for group in groups:
            own = column["groups"][group]
            at = {
                turn: f"{shown(mean)} ± {shown((high - low) / 2) if low is not None and high is not None else '–'}"
                for turn, mean, low, high in zip(column["turns"], own["mean"], own["low"], own["high"], strict=True)
            }
            print(f"| {name} | {shown(column['parting'])} | {group} | {' | '.join(at.get(turn, '–') for turn in turns)} |")
    print()


def across(folder: Path) -> None:
    """Fitted on one set, applied to another as it is: Pearson over its bots and over its conversations."""
    every = sets()
    print("| fitted on | applied to | r over bots | p, exact | r, conversations |")
    print("|---|---|---|---|---|")
    for source, (items, qualities) in every.items():
        trained(folder, source, items, qualities[0])
        judge = create("metric", str(folder / slug(f"{source}-{qualities[0]}-hybrid")))
        for target, (others, wanted) in every.items():
            if source.split(",")[0].split()[0] == target.split(",")[0].split()[0]:
                continue
            score, people, systems = applied(judge, others, wanted[0])
            over = over_bots(*(np.array(list(by_system(side, systems).values())) for side in (score, people)))["pearson"]
            print(f"| {source} | {target} | {ends(vars(over))} | {shown(over.p, 4)} | {shown(pearson(score, people))} |")
    print()


def votes(folder: Path) -> None:
    """ConvAI2: thumbs of single replies against the final score, and M_H (without the bot) with thumbs as the quality."""
    print("| set | conversations with votes and a score | r of the share of thumbs up with the score | p |")
    print("|---|---|---|---|")
    for name in ("convai2_volunteers", "convai2_intermediate"):
        shares, scores = [], []
        for item in dialogues(name):
            thumbs = [float(turn.vote) for turn in item.turns if turn.vote is not None]
            given = [value for value in item.ratings.get("eval_score", ()) if value is not None]
            if thumbs and given:
                shares.append(np.mean(thumbs))
                scores.append(np.mean(given))
        found = correlate(np.array(shares), np.array(scores))
        print(f"| {name} | {found.n} | {ends(vars(found))} | {shown(found.p, 4)} |")
    print()
    voted = [
        changed(item, {"thumbs": (float(np.mean([float(turn.vote) for turn in item.turns if turn.vote is not None])),)})
        for item in convai2("convai2_volunteers")
        if any(turn.vote is not None for turn in item.turns)
    ]
    counts = {system: sum(item.system == system for item in voted) for system in {item.system for item in voted}}
    voted = [item for item in voted if counts[item.system] >= 8]
    print(f"### Share of thumbs up as the quality: {len(voted)} conversations\n")
    bots = trained(folder, "convai2 thumbs", voted, "thumbs")["bots"]
    print(f"M_H without the bot, over conversations: r {ends(bots['over_dialogues']['lead']['pearson'])}\n")


def ends(one: dict[str, Any], digits: int = 2) -> str:
    """A coefficient and its interval."""
    return f"{shown(one['r'], digits)} [{shown(one['low'])}, {shown(one['high'])}]"


def shown(value: float | None, digits: int = 2) -> str:
    """A number, or a dash."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


if __name__ == "__main__":
    main()
