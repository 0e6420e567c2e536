"""Emotion from a sentence encoder beside VADER, on labelled conversations; development and held-out halves.

python benchmarks/emotion.py [--half held-out] [--emotion prompted]     the tables of docs/results/emotion.md
python benchmarks/emotion.py --fit                                      the sharpness that fits the development half best
"""

import argparse

import numpy as np
from emotion_labels import EMOJIS_OF, LABELS, Half, halves
from scipy.stats import pearsonr, rankdata, spearmanr

from dialometer.core.registry import create
from dialometer.text.vectors.emojis import EMOJIS, NAMES, neutral, sentiment

RESAMPLES = 10_000
SHARPNESS = np.arange(0.5, 3.01, 0.25)
EXAMPLES = (
    "I am so happy for you!", "My dog died yesterday.", "That joke was hilarious.", "I hate waiting in line.", "Thank you so much!",
    "I have an exam tomorrow and I did not sleep.", "This song is stuck in my head.", "The train leaves at nine.",
    "Oh great, another meeting.", "😂",
)  # fmt: skip
NEGATED = (
    ("I am happy.", "I am not happy."), ("I like this film.", "I don't like this film."), ("That was fun.", "That was no fun."),
    ("The food is good.", "The food is not good."), ("I am looking forward to it.", "I am not looking forward to it."),
    ("I trust my boss.", "I don't trust my boss."), ("It went well.", "It did not go well."),
    ("I enjoyed it.", "I did not enjoy it."), ("I feel fine today.", "I don't feel fine today."),
    ("She was nice to me.", "She was not nice to me."),
)  # fmt: skip
SARCASTIC = (
    "Oh great, another meeting.", "Wonderful, my flight is delayed again.", "Just what I needed, a flat tyre.",
    "Thanks a lot for eating my lunch.", "I just love being ignored.", "Nice, they charged me twice.",
)  # fmt: skip


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=["development", "held-out"], default="held-out")
    parser.add_argument("--emotion", default="prompted")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    parts = halves()
    if given.fit:
        return fit(parts["development"])
    emotion, half = create("emotion", given.emotion), parts[given.half]
    print(f"{given.half} half, {len(half.label)} conversations; `{emotion.recipe}`\n")
    first = emotion.distribution(half.first)
    signs(emotion, half, parts["development"])
    control(first, emotion.distribution(parts["development"].first), half, parts["development"])
    labels(first, emotion, half)
    return probes(emotion)


def fit(half: Half) -> None:
    """Mean ln probability of the labels' emojis for each sharpness, and the sign's accuracy."""
    print("| sharpness | mean ln p of the label's emojis | accuracy of the sign |\n|---|---|---|")
    found = []
    base = (
        np.log(create("emotion", f"prompted(sharpness={SHARPNESS[0]})").distribution(half.first) / neutral()) / SHARPNESS[0]
    )
    for sharpness in SHARPNESS:  # p ∝ neutral · exp(sharpness · z): one distribution gives them all
        made = neutral() * np.exp(sharpness * base)
        made /= made.sum(axis=1, keepdims=True)
        found.append(mass(made, half).mean())
        print(f"| {sharpness:.2f} | {found[-1]:.4f} | {marks(sentiment(made), half)[0].mean():.3f} |")
    print(f"\nbest: {SHARPNESS[int(np.argmax(found))]}")


def vader(texts: list[str]) -> np.ndarray:
    """VADER's compound score."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    return np.array([analyzer.polarity_scores(text)["compound"] for text in texts])


def marks(score: np.ndarray, half: Half) -> tuple[np.ndarray, np.ndarray]:
    """Per conversation with a valence: 1 where the sign is right and ½ for zero; the same with zero as wrong."""
    hit = np.sign(score) * half.valence
    hit = hit[half.valence != 0]
    return (hit > 0) + 0.5 * (hit == 0), (hit > 0).astype(float)


def signs(emotion, half: Half, known: Half) -> None:
    """Accuracy of the sign on first utterances and situations, ours and VADER's, and the difference with its interval."""
    print("| text | score | accuracy, zero ½ | zero wrong | mean of both classes | AUC | zeros | zero moved |")
    print("|---|---|---|---|---|---|---|---|")
    closing = []
    for kind, part in (("first utterance", "first"), ("situation", "situation")):
        texts, earlier = getattr(half, part), getattr(known, part)
        scores = {emotion.name: emotion.sentiment(texts), "VADER": vader(texts)}
        before = {emotion.name: emotion.sentiment(earlier), "VADER": vader(earlier)}
        moved = {name: marks(score - zero_point(before[name], known), half)[0] for name, score in scores.items()}
        for name, score in scores.items():
            print(f"| {kind} | {name} | {sign_row(score, half)} | {moved[name].mean():.3f} |")
        ours, theirs = ((*marks(score, half), moved[name]) for name, score in scores.items())
        for rule, gaps in zip(("zero ½", "zero wrong", "zero moved"), np.subtract(ours, theirs), strict=True):
            low, high = interval(gaps, half.task[half.valence != 0])
            closing.append(f"- {kind}, {rule}: {emotion.name} − VADER = {gaps.mean():+.3f} [{low:+.3f}, {high:+.3f}]")
        r, rho = pearsonr(*scores.values())[0], spearmanr(*scores.values())[0]
        closing.append(f"- {kind}: correlation with VADER r = {r:.2f}, ρ = {rho:.2f}")
    truth = half.valence[half.valence != 0]
    note = f"n = {len(truth)}; always negative: {(truth < 0).mean():.3f}. Intervals: 95 %, bootstrap over tasks."
    print("\n".join(["", note, *closing, ""]))


def sign_row(score: np.ndarray, half: Half) -> str:
    """Accuracies, area and share of zeros as cells."""
    truth, (right, strict) = half.valence[half.valence != 0], marks(score, half)
    even = np.mean([right[truth == side].mean() for side in (1, -1)])
    zeros = (score[half.valence != 0] == 0).mean()
    return f"{right.mean():.3f} | {strict.mean():.3f} | {even:.3f} | {area(score, half):.3f} | {zeros:.1%}"


def zero_point(score: np.ndarray, half: Half) -> float:
    """The value that parts glad from not best, on the development half."""
    return float(max(np.unique(score), key=lambda value: marks(score - value, half)[0].mean()))


def area(score: np.ndarray, half: Half) -> float:
    """How often a glad text scores above one that is not; needs no zero point."""
    kept = half.valence != 0
    glad, ranks = half.valence[kept] > 0, rankdata(score[kept])
    return float((ranks[glad].sum() - glad.sum() * (glad.sum() + 1) / 2) / (glad.sum() * (~glad).sum()))


def interval(gaps: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """95 % of the mean gap when whole tasks are drawn again: texts of one task have one pair of authors."""
    _, owner = np.unique(tasks, return_inverse=True)
    sums, counts = np.bincount(owner, gaps), np.bincount(owner)
    draws = np.random.default_rng(0).integers(len(counts), size=(RESAMPLES, len(counts)))
    return np.quantile(sums[draws].sum(axis=1) / counts[draws].sum(axis=1), [0.025, 0.975])


def mass(distribution: np.ndarray, half: Half) -> np.ndarray:
    """ln of the probability that falls on the label's four emojis."""
    at = {label: [NAMES.index(name) for name in emojis.split()] for label, emojis in EMOJIS_OF.items()}
    fits = np.zeros((len(LABELS), len(NAMES)))
    for row, label in enumerate(LABELS):
        fits[row, at[label]] = 1
    return np.log((distribution * fits[[LABELS.index(label) for label in half.label]]).sum(axis=1))


def nearest(distribution: np.ndarray, half: Half, centres: np.ndarray) -> float:
    """Accuracy of the label whose centre of ln p is nearest."""
    logs = np.log(distribution)
    gaps = (centres**2).sum(axis=1) - 2 * logs @ centres.T
    return float((np.array(LABELS)[gaps.argmin(axis=1)] == half.label).mean())


def control(distribution: np.ndarray, develop: np.ndarray, half: Half, known: Half) -> None:
    """Both measures against the same with the emojis' columns shuffled."""
    centres = np.stack([np.log(develop[known.label == label]).mean(axis=0) for label in LABELS])
    random = np.random.default_rng(0)
    orders = [random.permutation(len(NAMES)) for _ in range(RESAMPLES)]
    print("| measure | value | shuffled: mean | shuffled: highest | p | shuffles |\n|---|---|---|---|---|---|")
    rows = (
        ("mean ln p of the label's emojis", lambda p: float(mass(p, half).mean()), orders),
        ("label by nearest development centre, 32 ways", lambda p: nearest(p, half, centres), orders[:1000]),
    )
    for name, value, shuffles in rows:
        real, chance = value(distribution), np.array([value(distribution[:, order]) for order in shuffles])
        p = (1 + (chance >= real).sum()) / (1 + len(chance))
        print(f"| {name} | {real:.3f} | {chance.mean():.3f} | {chance.max():.3f} | {p:.5f} | {len(chance)} |")
    print()


def labels(distribution: np.ndarray, emotion, half: Half) -> None:
    """Per label: mean sentiment of both, and the emojis that stand out most from their mean."""
    ours, theirs, usual = emotion.sentiment(half.first), vader(half.first), distribution.mean(axis=0)
    print(f"| label | n | {emotion.name} | VADER | emojis that stand out |\n|---|---|---|---|---|")
    for label in sorted(LABELS, key=lambda name: ours[half.label == name].mean()):
        rows = half.label == label
        lift = distribution[rows].mean(axis=0) - usual
        top = " ".join(f"{EMOJIS[NAMES[i]]} {NAMES[i]}" for i in np.argsort(-lift)[:4])
        print(f"| {label} | {rows.sum()} | {ours[rows].mean():+.3f} | {theirs[rows].mean():+.3f} | {top} |")
    print()


def probes(emotion) -> None:
    """Ten examples, and how negation and sarcasm come out."""
    print("| text | sentiment | likeliest emojis |\n|---|---|---|")
    examples = list(EXAMPLES)
    for text, row, value in zip(examples, emotion.distribution(examples), emotion.sentiment(examples), strict=True):
        top = ", ".join(f"{EMOJIS[NAMES[i]]} {row[i]:.2f}" for i in np.argsort(-row)[:4])
        print(f"| {text} | {value:+.2f} | {top} |")
    plain, negated = (np.array(side) for side in zip(*NEGATED, strict=True))
    print()
    for name, score in ((emotion.name, emotion.sentiment), ("VADER", vader)):
        before, after, mocking = score(list(plain)), score(list(negated)), score(list(SARCASTIC))
        print(
            f"- {name}: plain sentence positive {(before > 0).sum()} of {len(before)}; negated one lower {(after < before).sum()}, "
            f"negative {(after < 0).sum()}; sarcastic sentence negative {(mocking < 0).sum()} of {len(mocking)}"
        )


if __name__ == "__main__":
    main()
