"""Judges against people: ADEM and AutoJudge on rated sets, by context and by system, beside what they must beat.

    python benchmarks/quality_judges.py PART [FOLDER] [--bots FOLDER]

PART is adem, autojudge, beyond, negatives or transfer. Every row is a run of ``train`` in FOLDER (runs/judges unless named): the
same command goes on where it was stopped. ``--bots`` is where ``quality_bots.py`` trained its bots without conversations that leak
into these sets: hred gives probabilities, vhred the vectors of a
small VHRED (192 units, three epochs; the paper's has 2,000 units and other text). Folds hold whole contexts (or systems);
whatever is chosen is chosen inside the training folds.
"""

import argparse
from pathlib import Path
from typing import Any

from known_answers import DATA
from quality_transfer import transfer

from dialometer.contracts.train import TrainRequest
from dialometer.flows.train.train import train

SETS = {
    "zhao": ("turns/zhao_dailydialog.jsonl.gz", "appropriateness", "1,5"),
    "usr": ("turns/usr_topicalchat.jsonl.gz", "Overall", "1,5"),
    "dstc7": ("turns/dstc7_task2.jsonl.gz", "relevance", "1,5"),
    "holistic": ("turns/holistic_context.jsonl.gz", "context_coherence", "1,5"),
    "spot-the-bot": ("dialogues/spot_the_bot_convai2.jsonl.gz", "judged_human", "0,1"),
    "engage": ("turns/engage_dailydialog.jsonl.gz", "engagement", "1,5"),
}
METRICS = ("bleu", "rouge", "meteor", "embedding", "sentence", "bertscore")


def main() -> None:
    """One part, as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("adem", "autojudge", "beyond", "negatives", "transfer"))
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/judges"))
    parser.add_argument("--bots", type=Path, default=Path("runs/quality"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    parts = {"adem": adem, "autojudge": autojudge, "beyond": beyond, "negatives": negatives, "transfer": over_sets}
    parts[asked.part](asked.folder, asked.bots)


def trained(folder: Path, name: str, spec: str, **options: Any) -> dict[str, Any]:
    """What ``train`` found on one set; resumed or read where it was done before."""
    path, quality, scale = SETS[name]
    options = {"quick": True, "scale": scale} | options
    request = TrainRequest(
        spec, (str(DATA / path),), quality=quality, output=str(folder / f"{name}-{label(spec)}"), **options
    )
    found: dict[str, Any] = train(request).to_json()
    return found


def label(spec: str) -> str:
    """A spec as part of a file name."""
    return "".join(sign if sign.isalnum() else "-" for sign in spec).strip("-")[:80]


def adem(folder: Path, bots: Path) -> None:
    """Default and paper's form, C-, R- and full, with minilm and with vhred vectors, on three sets."""
    vhred, hred = bots / "vhred" / "run", bots / "hred" / "run"
    paper = f"adem(prior=zero,gamma=0.02,encoder={vhred}"
    for name in ("zhao", "usr"):
        others = (
            "adem(variant=context)",
            "adem(variant=reference)",
            f'adem(features="logprob(model={hred})")',
            f"adem(encoder={vhred})",
            f"adem(encoder={vhred},variant=context)",
            f"adem(encoder={vhred},variant=reference)",
            f"{paper})",
            f"{paper},solver=first-order)",
            f"{paper},solver=start)",
        )
        show(name, trained(folder, name, "adem", beside=others, metrics=METRICS), bots)
    others = (
        f"adem(encoder={vhred},variant=reference)",
        f"{paper},variant=reference)",
        f"{paper},variant=reference,solver=start)",
    )
    show("dstc7", trained(folder, "dstc7", "adem(variant=reference)", beside=others, metrics=METRICS[:5]), bots)


def autojudge(folder: Path, bots: Path) -> None:
    """Without references, by CONVO and SYSTEM folds, as in Deriu and Cieliebak 2019, table 1."""
    vhred = bots / "vhred" / "run"
    for name in ("zhao", "holistic", "spot-the-bot"):
        others = (f"autojudge(encoder={vhred})", f"autojudge(prior=zero,encoder={vhred})")
        options = {"folds": 5} if name == "spot-the-bot" else {"beside": others}  # a row per reply: twelve thousand
        show(name, trained(folder, name, "autojudge", metrics=("length",), **options), bots)
    print(
        "Published (Deriu and Cieliebak 2019, table 1): by context r .573, ρ .577, MAE .928; by system .544, .530, .984.\n"
    )


def beyond(folder: Path, bots: Path) -> None:
    """What goes beyond the papers, each beside the plain form on the same folds."""
    hred = bots / "hred" / "run"
    others = (
        "adem(loss=rank)",
        "adem(spread=true)",
        "adem(censor=true)",
        "adem(pca=32)",
        "adem(also=response+words+length)",
        'stack(features="sentence;bertscore;rouge;embedding;length")',
        'stack(features="sentence;bertscore;rouge;embedding;length",model=trees)',
        f'stack(features="sentence;bertscore;rouge;embedding;length;logprob(model={hred})")',
    )
    plain = trained(folder / "beyond", "zhao", "adem", beside=others, metrics=("length",))
    show("zhao", plain, bots)
    censored = trained(folder / "beyond", "zhao", "adem(censor=true)", metrics=("length",))
    print("| | r with the number of words | ratings of left-out contexts inside 90% intervals | half-width |")
    print("|---|---|---|---|")
    words = next(row for row in plain["attribution"]["rows"] if row["column"] == "words")
    print(f"| people | {words['r_people']:.3f} | | |")
    for found in (plain, censored):
        words = next(row for row in found["attribution"]["rows"] if row["column"] == "words")
        fit = found["fitted"]
        inside, half = fit["ratings of left-out contexts inside them"], fit["half-width of 90% intervals"]
        print(f"| {found['spec']} | {words['r_judge']:.3f} | {100 * inside:.1f}% | {half:.2f} |")
    path, _, _ = SETS["zhao"]
    request = TrainRequest("humanlike", (str(DATA / path),), human="ground-truth", quick=True, metrics=("length",),
                           output=str(folder / "beyond" / "humanlike"))  # fmt: skip
    fit = train(request).to_json()["fitted"]
    print(f"\nhumanlike, ground truth against bots: area under the curve {fit['auc']:.3f} on contexts left out\n")


def negatives(folder: Path, bots: Path) -> None:
    """What training with negatives costs in correlation, and where degenerate replies end up."""
    kinds = "negatives=empty+repeated+universal+shuffled+other"
    for name in ("zhao", "engage"):
        rows = {
            spec: trained(folder / "negatives", name, spec, quick=False) for spec in ("autojudge", f"autojudge({kinds})")
        }
        print(f"### {name}\n")
        print("| judge | Spearman by context | Pearson | reply | its median | median of real replies | above it |")
        print("|---|---|---|---|---|---|---|")
        for spec, found in rows.items():
            reached = found["folds"]["context"]["aligned"]
            for row in found["stress"]["degenerate"]:
                print(
                    f"| {spec} | {reached['spearman']['r']:.3f} | {reached['pearson']['r']:.3f} | {row['about']} "
                    f"| {row['median']:.2f} | {row['median_real']:.2f} | {100 * row['share_above']:.0f}% |"
                )
        print()


def over_sets(folder: Path, bots: Path) -> None:
    """Trained on one set, tested on another."""
    transfer(DATA, folder / "transfer")


def show(title: str, found: dict[str, Any], bots: Path) -> None:
    """One set: every judge by context and by system, then what it must beat."""
    print(f"### {title}: {found['n']} items\n")
    print("| | Spearman by context | mean of folds | Pearson | MAE | sd/sd | by system | Pearson | MAE | Williams p |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    rows = {found["spec"]: found["folds"]} | found["judges"]
    for spec, ways in rows.items():
        name = spec.replace(f"{bots}/", "").replace("/run", "")
        print(f"| {name} | {cells(ways['context'])} | {short(ways.get('system'))} | {p_of(ways)} |")
    for column, row in found["baselines"].items():
        if row["n"]:
            p = row["williams_aligned"]["context"]["spearman"]["p"]
            print(f"| {column} | {row['spearman']['r']:.3f} | | {row['pearson']['r']:.3f} | | | | | | {p:.2g} |")
    print(f"\nleft out: {found['left_out'] or 'nothing'}\n")


def cells(way: dict[str, Any]) -> str:
    rho, r = way["aligned"]["spearman"], way["aligned"]["pearson"]
    return (
        f"{rho['r']:.3f} [{rho['low']:.2f}, {rho['high']:.2f}] | {way['spearman']:.3f} "
        f"| {r['r']:.3f} | {way['mae']:.3f} | {way['spread_aligned']:.2f}"
    )


def short(way: dict[str, Any] | None) -> str:
    return (
        f"{way['aligned']['spearman']['r']:.3f} | {way['aligned']['pearson']['r']:.3f} | {way['mae']:.3f}"
        if way
        else "– | – | –"
    )


def p_of(ways: dict[str, Any]) -> str:
    tested = ways["context"].get("williams_aligned")
    return f"{tested['spearman']['p']:.2g}" if tested else ""


if __name__ == "__main__":
    main()
