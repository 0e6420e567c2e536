"""The papers' bots on DailyDialog: perplexity beside a Katz trigram model, KL, embedding metrics, distinct-n, EI ablations.

    python benchmarks/quality_bots.py [FOLDER] [--quick] [--jobs 2] [--only NAME …]

Training takes the official training part without the conversations that leak into any evaluation set; numbers are of the test part.
Each bot is trained by ``train`` in a process of its own, on one thread, and measured once; what is done stays in FOLDER
(runs/quality unless named), and the same command goes on from there. ``--quick`` trains for one epoch on a third of the text.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from known_answers import DATA
from quality_measures import measure

from dialometer.data import open_items

SIZE = "hidden=192,embedding=96,vocabulary=3000,batch=16,rate=0.005,dropout=0.1,epochs={epochs},patience=2{context}"
GENERATIVE = ("lstmlm", "seq2seq", "hred", "vhred", "vhcr", "mrrnn")
FLAT = ("lstmlm", "seq2seq")
RETRIEVAL = ("tfidf", "tfidf(mode=response)", "dualencoder", "random")
HIERARCHICAL = ("hred", "vhred", "vhcr")
EI = ("input", "emotion", "vector", "both")


def main() -> None:
    """Train what is missing, measure what is missing, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], help="bots to train and measure; the tables show what is there")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    folder = asked.folder or Path("runs", "quality-quick" if asked.quick else "quality")
    folder.mkdir(parents=True, exist_ok=True)
    check_same(folder, specs(quick=asked.quick))
    if asked.one:
        one(folder, asked.one, quick=asked.quick)
        return
    names = [name for name in specs(quick=asked.quick) if not asked.only or name in asked.only]
    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(lambda name: in_own_process(folder, name, quick=asked.quick), ["katz", *names]))
    print(tables(folder, list(specs(quick=asked.quick))))


def specs(*, quick: bool) -> dict[str, str]:
    """Row → spec, base bots first."""
    epochs = 1 if quick else 3
    flat, deep = (SIZE.format(epochs=epochs, context=more) for more in ("", ",context=192"))
    found = {name: f"{name}({flat if name in FLAT else deep})" for name in GENERATIVE}
    found |= {name: name for name in RETRIEVAL}
    if quick:
        found["dualencoder"] = "dualencoder(epochs=1)"
    return found | {f"{name}+{ei}": f"{name}({deep},ei={ei})" for name in HIERARCHICAL for ei in EI}


def check_same(folder: Path, wanted: dict[str, str]) -> None:
    """A folder belongs to the specs it was begun with: rows of other sizes must not stand in one table."""
    path = folder / "specs.json"
    if not path.exists():
        path.write_text(json.dumps(wanted, indent=1))
    elif json.loads(path.read_text()) != wanted:
        sys.exit(f"{folder} was begun with other specs ({path}): name another folder, or remove it")


def in_own_process(folder: Path, name: str, *, quick: bool) -> None:
    """One bot, from training to numbers; nothing is done where the numbers are."""
    if (folder / slug(name) / "measures.json").exists():
        return
    started = time.monotonic()
    command = [sys.executable, __file__, str(folder), "--one", name, *(["--quick"] if quick else [])]
    quiet = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    subprocess.run(command, check=True, env=os.environ | quiet)
    print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def one(folder: Path, name: str, *, quick: bool) -> None:
    """Train one bot (or the trigram model), then measure it."""
    from dialometer.contracts.train import TrainRequest
    from dialometer.flows.train.train import train

    place = folder / slug(name)
    place.mkdir(exist_ok=True)
    spec = "ngram(order=3,prune=0)" if name == "katz" else specs(quick=quick)[name]
    used = time.process_time()
    text = training_text(folder, quick=quick)
    report = train(TrainRequest(spec, (str(text),), output=str(place / "run")))
    seconds = place / "seconds.json"
    spent = json.loads(seconds.read_text()) if seconds.exists() else 0.0
    seconds.write_text(json.dumps(spent + time.process_time() - used))
    training = [[turn.text for turn in talk.turns] for talk in open_items(str(text))]
    found = measure(name, report.run, test_talks(quick=quick), training)
    found |= {"cpu_seconds": json.loads(seconds.read_text()), "facts": report.to_json()}
    (place / "measures.part").write_text(json.dumps(found, indent=1))
    (place / "measures.part").rename(place / "measures.json")


def training_text(folder: Path, *, quick: bool) -> Path:
    """The official training part without leaks, written once."""
    file = folder / "train.jsonl"
    if file.exists():
        return file
    from dialometer.flows.train.training_text import read_ids

    leaks = read_ids([str(DATA / "corpora" / "dailydialog_train_overlap_ids.json.gz")])
    kept = [talk for talk in corpus("train") if talk.id not in leaks]
    if quick:
        kept = kept[::3]
    lines = [json.dumps({"id": t.id, "turns": [{"speaker": u.speaker, "text": u.text} for u in t.turns]}) for t in kept]
    part = file.with_name(f"train.{os.getpid()}")
    part.write_text("\n".join(lines) + "\n")
    part.rename(file)
    return file


def test_talks(*, quick: bool) -> list[list[str]]:
    """The official test part."""
    return [[turn.text for turn in talk.turns] for talk in corpus("test")][: 200 if quick else None]


def corpus(split: str) -> list:
    """One part of DailyDialog."""
    return [talk for talk in open_items(str(DATA / "corpora" / "dailydialog.jsonl.gz")) if talk.extra.get("split") == split]


def slug(name: str) -> str:
    """A row's name as a folder's."""
    return "".join(sign if sign.isalnum() else "-" for sign in name).strip("-")


def tables(folder: Path, names: list[str]) -> str:
    """Every table, from the measures that are there."""
    found = {
        name: json.loads((folder / slug(name) / "measures.json").read_text())
        for name in ["katz", *names]
        if (folder / slug(name) / "measures.json").exists()
    }
    return "\n\n".join([_quality(found), _curves(folder, list(found)), _latents(found), _heads(found), _recall(found)])


COLUMNS = {
    "perplexity": ("perplexity", 1), "estimate": ("perplexity_estimate", 1), "of known words": ("perplexity_known", 1),
    "its estimate": ("estimate_known", 1), "KL": ("kl", 2), "average": ("embedding-average", 3),
    "extrema": ("vector-extrema", 3), "greedy": ("greedy-matching", 3), "distinct-1": ("distinct-1", 4),
    "distinct-2": ("distinct-2", 4), "words": ("words_said", 1), "CPU-s": ("cpu_seconds", 0),
}  # fmt: skip


def _quality(found: dict[str, dict]) -> str:
    lines = [f"| bot | {' | '.join(COLUMNS)} |", "|---|" + "---|" * len(COLUMNS)]
    for name, one in found.items():
        cells = [_number(one.get(key), digits) for key, digits in COLUMNS.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    some = next(iter(found.values()))
    note = (
        f"Perplexity per word and end of the {some['turns']:,} test replies ({some['words']:,} words), and of the "
        f"{some['replies_known']:,} replies without a word that training never met; for variational bots the bound, and the "
        "importance-weighted estimate beside it. The bots spell words they never met in pieces, the trigram model (katz) by "
        "trigrams of letters. Embedding metrics, distinct-n and words are of greedy replies to one context of each conversation."
    )
    return "\n".join([note, "", *lines])


def _curves(folder: Path, names: list[str]) -> str:
    """How far each network had come: a loss that still falls says that its perplexity is that of this much training."""
    lines = [
        "Loss on conversations held out of training after each epoch, nats a symbol (with latents the bound, KL included):\n",
        "| bot | after each epoch | fall in the last |",
        "|---|---|---|",
    ]
    for name in names:
        path = folder / slug(name) / "run" / "curve.csv"
        if path.exists() and name not in RETRIEVAL:
            rows = [line.split(",") for line in path.read_text().splitlines()]
            losses = [float(loss) for _, part, loss in rows if part == "validation"]
            fall = f"{losses[-2] - losses[-1]:.3f}" if len(losses) > 1 else "–"
            lines.append(f"| {name} | {', '.join(f'{loss:.3f}' for loss in losses)} | {fall} |")
    return "\n".join(lines)


def _latents(found: dict[str, dict]) -> str:
    lines = ["| bot | nats a turn | with the neighbour's latent or plan | rise |", "|---|---|---|---|"]
    for name, one in found.items():
        if one.get("swapped") is not None:
            rise = one["swapped"] - one["own"]
            lines.append(f"| {name} | {one['own']:.2f} | {one['swapped']:.2f} | {rise:+.2f} |")
    return "\n".join(
        ["Reconstruction with each turn's own latent (mrrnn: coarse plan), and with another turn's:", "", *lines]
    )


def _heads(found: dict[str, dict]) -> str:
    lines = ["| bot | emotion, nats | of the mean | vector, squared error | of the mean |", "|---|---|---|---|---|"]
    for name, one in found.items():
        heads = one.get("heads")
        if heads:
            cells = [_number(heads.get(key), 5 if "vector" in key else 4) for key in
                     ("emotion", "emotion_mean", "vector", "vector_mean")]  # fmt: skip
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(
        ["What the EI heads say of test utterances, beside a predictor that always says the mean:", "", *lines]
    )


def _recall(found: dict[str, dict]) -> str:
    lines = ["| bot | recall@1 of 10 | recall@2 | recall@5 |", "|---|---|---|---|"]
    for name, one in found.items():
        if one.get("recall"):
            lines.append(f"| {name} | {' | '.join(f'{value:.3f}' for value in one['recall'])} |")
    return "\n".join(["The true reply among nine others of the test part (chance: 0.1, 0.2, 0.5):", "", *lines])


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


if __name__ == "__main__":
    main()
