"""What may be concluded, in words: strength beside the human ceiling and the length-only baseline, and what may not be said.

A sentence comes with its tone. "Beyond chance" asks for both: p below 0.05 after Holm's correction (which takes items for
independent) and an interval over whole contexts that leaves 0 out.
"""

from __future__ import annotations

from collections.abc import Sequence

from dialometer.contracts.meta import LENGTH_ONLY, MetaResult
from dialometer.contracts.meta_tables import AdjustedCoefficient, CeilingRow, Coefficient, CorrelationRow
from dialometer.report.blocks import Tone
from dialometer.report.pages.cells import real

FEW_SYSTEMS = 10
COPIES = 0.2  # of a system's responses: more is no chance
UNITS = {"turn": "response", "dialogue": "dialogue", "system": "system"}
Sentences = list[tuple[str, Tone]]


def conclusions(result: MetaResult) -> Sentences:
    """Sentences for the head of the report and the terminal."""
    sentences: Sentences = [(_scope(result), "plain")]
    levels = {row.level for row in result.rows}
    if result.unit != "system" and result.unit in levels:
        sentences += _items(result)
    if "system" in levels:
        sentences += _systems(result)
    elif result.unit != "system" and not result.levels_asked and result.systems != [""]:
        count = len(result.systems)
        verb = "is" if count == 1 else "are"
        sentences.append((f"Nothing is said of systems: {_plural(count, 'system')} {verb} too few.", "plain"))
    return [*sentences, *_length(result), *_raters(result), *_gaps(result)]


def _scope(result: MetaResult) -> str:
    systems = ""
    if result.unit != "system" and result.systems != [""]:
        systems = f" of {_plural(len(result.systems), 'system')}"
    left = [f"{what} ({n})" for what, n in result.left_out.items() if n]
    without = f"; left out: {', '.join(left)}" if left else ""
    counted = _plural(result.n, UNITS[result.unit])
    return f"{counted}{systems} compared with {result.reference} on {result.quality}{without}."


def _rows(result: MetaResult, level: str) -> list[CorrelationRow]:
    """Rows of the main quality at a level."""
    return [row for row in result.rows if row.level == level and row.quality == result.quality]


def _items(result: MetaResult) -> Sentences:
    """The best metric per item, beside the ceiling and the baseline."""
    rows = [row for row in _rows(result, result.unit) if row.spearman.r is not None and row.metric != LENGTH_ONLY]
    if not rows:
        return []
    each = UNITS[result.unit]
    significant = [row for row in rows if beyond_chance(row.spearman)]
    best = max(significant, key=lambda row: abs(real(row.spearman.r)), default=None)
    sentences: Sentences = []
    if all(row.spearman.low is None for row in rows):
        text = f"Per {each}, nothing is said of chance: there are no intervals (no resamples, or one context)."
        sentences.append((text, "caution"))
    elif best is None:
        text = f"Per {each}, no column can be shown to follow {result.reference} on {result.quality} at all."
        sentences.append((text, "caution"))
    else:
        sentences += _best(best.metric, best.spearman, each, result.reference)
        sentences.append((f"Beyond chance: {len(significant)} of {_plural(len(rows), 'column')}.", "plain"))
    return [*sentences, *_common(result, each), *_planned(result), *_ceiling(result), *_baseline(result, best)]


def _common(result: MetaResult, each: str) -> Sentences:
    """That n differs between the columns, and what the order is over the items that all have."""
    common = result.common
    if common.n is None:
        return []
    text = f"n differs between the columns, from {common.least} to {common.most}: their order is not of like with like"
    rows = sorted(common.rows or (), key=lambda row: 1.0 if row.spearman is None else -abs(row.spearman))
    if not rows:
        return [(f"{text}; there are no three {each}s that every column has.", "caution")]
    shown = ", ".join(f"{row.metric} {row.spearman:.2f}" for row in rows[:6] if row.spearman is not None)
    return [(f"{text}. Over the {common.n} that every column has, Spearman is: {shown}.", "caution")]


def _planned(result: MetaResult) -> Sentences:
    """The planned comparisons of the main quality; the others are exploratory."""
    if not result.planned:
        return []
    sentences: Sentences = []
    for row in result.better:
        if not row.planned or row.quality != result.quality:
            continue
        difference = real(row.difference)
        high, low = (row.a, row.b) if difference >= 0 else (row.b, row.a)
        verdict = "is above" if real(row.p_holm) < 0.05 else "is not shown to differ from"
        p = "not tested" if row.p is None else f"p {row.p:.3g}, {real(row.p_holm):.3g} after Holm's correction"
        test = f"{row.kind}, per {row.level}, {row.test}, n {row.n}"
        sentences.append((f"Planned: {high} {verdict} {low} by {abs(difference):.2f} ({test}): {p}.", "plain"))
    if sentences:
        count = _plural(len(result.planned), "planned comparison")
        text = f"p is adjusted over {count}; every other comparison is exploratory and has no adjusted p."
        sentences.append((text, "plain"))
    return sentences


def _ceiling(result: MetaResult) -> Sentences:
    human = _human(result)
    if human:
        halves = f"Half of the raters follow the other half at {real(human.r):.2f}"
        reach = f"a perfect metric would reach about {real(human.reach):.2f} against the mean of all"
        return [(f"{halves}; {reach}.", "plain")]
    if result.agreement:
        return [("There is no human ceiling: no item has ratings of two people that vary.", "caution")]
    return []


def _best(name: str, one: Coefficient, each: str, whom: str) -> Sentences:
    """The metric that follows people best, and how far."""
    r = real(one.r)
    word = "weakly" if abs(r) < 0.3 else "moderately" if abs(r) < 0.6 else "strongly"
    turned = ", the lower the better (turn its sign to compare it with others)" if r < 0 else ""
    return [(f"Per {each}, {name} follows {whom} best, {word}: Spearman {coefficient_text(one)}{turned}.", "plain")]


def _baseline(result: MetaResult, best: CorrelationRow | None) -> Sentences:
    """The length-only baseline, on the items of the best metric where there is one, and which columns differ from it."""
    length = _length_alone(result, best)
    if not length:
        return []
    alone = f"The length of the response alone has {coefficient_text(length)}"
    sides = _beside_length(result)
    if sides is None:
        return [(f"{alone}.", "plain")]
    better, worse, undecided = sides
    parts = [f"clearly better: {_names(better)}"] if better else ["no column is clearly better"]
    parts += [f"clearly worse: {_names(worse)}"] if worse else []
    parts += [f"not told apart: {_names(undecided)}"] if undecided and better else []
    return [(f"{alone}; {'; '.join(parts)} (PERM-BOTH, Holm).", "plain" if better else "caution")]


def _length_alone(result: MetaResult, best: CorrelationRow | None) -> Coefficient | None:
    rows = result.bias.length if result.bias else []
    for row in rows:
        if best and row.metric == best.metric:
            return row.human_length
    whole = (row.spearman for row in _rows(result, result.unit) if row.metric == LENGTH_ONLY)
    return next((one for one in whole if one.r is not None), None)


def _beside_length(result: MetaResult) -> tuple[list[str], list[str], list[str]] | None:
    """Columns that a permutation test finds better than the length-only baseline, worse, or neither; None without a test."""
    better: list[str] = []
    worse: list[str] = []
    undecided: list[str] = []
    for row in result.better:
        here = (row.quality, row.level, row.kind) == (result.quality, result.unit, "spearman")
        if here and LENGTH_ONLY in (row.a, row.b) and row.p_holm is not None:
            difference = real(row.difference)
            other, ahead = (row.a, difference > 0) if row.b == LENGTH_ONLY else (row.b, difference < 0)
            (undecided if not row.p_holm < 0.05 else better if ahead else worse).append(other)
    return (better, worse, undecided) if better or worse or undecided else None


def _systems(result: MetaResult) -> Sentences:
    rows = [row for row in _rows(result, "system") if row.pearson.r is not None and row.metric != LENGTH_ONLY]
    if not rows:
        return []
    best = max(rows, key=lambda row: abs(real(row.pearson.r)))
    one, left, r, length = best.pearson, best.without_one, real(best.pearson.r), real(best.length)
    beside = f"; length alone {length:.2f} over the same" if length == length else ""
    text = f"Over {_plural(best.n, 'system')}, {best.metric} has Pearson {coefficient_text(one)}{beside}."
    sentences: Sentences = [(text, "plain")]
    if abs(length) > abs(r) + 1e-9:
        sentences.append(("Mere length orders these systems better than any metric here.", "caution"))
    if left and excludes_zero(one):
        carried = left.weakest / r < 0.5
        rests = ": it rests on that one system." if carried else "."
        sentences.append((f"Without {left.system} it is {left.weakest:.2f}{rests}", "caution" if carried else "plain"))
    if best.n <= FEW_SYSTEMS:
        text = f"{best.n} systems are few: this orders these systems, and does not prove the metric."
        sentences.append((text, "caution"))
    return sentences


def _length(result: MetaResult) -> Sentences:
    biased = [
        row.metric
        for row in (result.bias.length if result.bias else [])
        if abs(real(row.metric_length.r)) > 0.5 and abs(real(row.partial.r)) < abs(real(row.plain.r)) / 2
    ]
    if not biased:
        return []
    text = f"Much of what {_names(biased)} shares with {result.reference} is length: it halves or worse at equal length."
    return [(text, "caution")]


def _raters(result: MetaResult) -> Sentences:
    if not result.agreement:
        return []
    quality, effect = result.quality, result.agreement.filter
    alpha = result.agreement.qualities[quality].alpha.value
    if result.filter and effect:
        alpha = effect.agreement[quality].kept.alpha
    if alpha is None:
        return []
    grade = "well" if alpha >= 0.8 else "tolerably" if alpha >= 0.667 else "weakly" if alpha >= 0.33 else "poorly"
    human = _human(result)
    if alpha < 0.33 and not (human and real(human.reach) >= 0.8):  # many raters make a good mean of poor judgements
        text = f"Raters agree poorly on {quality} (α = {alpha:.2f}): they can hardly show a metric to be good or bad."
        return [(text, "bad")]
    return [(f"Raters agree {grade} on {quality} (α = {alpha:.2f}).", "plain")]


def _gaps(result: MetaResult) -> Sentences:
    sentences: Sentences = [(note, "caution") for note in result.notes]
    sentences += [
        (f"{spec} has the features of {whole} reply by reply: it is drawn turn by turn, and not tested again.", "plain")
        for spec, whole in result.drawn.items()
    ]
    for group in result.unscored:
        whole = f" (all of {_names(group.systems)})" if group.systems else ""
        why = dict.fromkeys(result.reasons[name] for name in group.columns if name in result.reasons)
        reason = f" ({'; '.join(why)})" if why else ""
        text = f"{group.items} of {result.n} have no score by {_names(group.columns)}{whole}{reason}."
        sentences.append((text, "caution"))
    for system, share in result.copies.items():
        if share > COPIES:
            copies = f"{share:.0%} of the responses of {system} are one of their own references, word for word"
            out = f'leave it out with --where "system!={system}"'
            sentences.append((f"{copies}: metrics that compare the two are given these; {out}.", "bad"))
    if result.only_of_systems:
        text = f"Values of whole systems only, and no level of systems here: {_names(result.only_of_systems)}."
        sentences.append((text, "caution"))
    if result.constant.without:
        names = [f"{name} ({result.reasons[name]})" if name in result.reasons else name for name in result.constant.without]
        sentences.append((f"Without any number here: {_names(names)}.", "caution"))
    if result.constant.still:
        sentences.append((f"Constant, so without a correlation: {_names(result.constant.still)}.", "caution"))
    return sentences


def _human(result: MetaResult) -> CeilingRow | None:
    table = result.ceiling.get(result.quality)
    rows = table.rows if table else []
    return next((row for row in rows if (row.level, row.kind) == ("item", "spearman") and row.r is not None), None)


def excludes_zero(one: Coefficient) -> bool:
    """Whether the interval of a coefficient leaves 0 out."""
    return real(one.low) > 0 or real(one.high) < 0


def beyond_chance(one: AdjustedCoefficient) -> bool:
    """Below 0.05 after Holm's correction, and an interval that leaves 0 out."""
    return real(one.holm) < 0.05 and excludes_zero(one)


def coefficient_text(one: Coefficient) -> str:
    """A coefficient and its interval, where there is one."""
    ends = "" if one.low is None else f" [{one.low:.2f}, {real(one.high):.2f}]"
    return f"{real(one.r):.2f}{ends}"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
