"""dialometer train: fit a bot, an encoder, a language model or amfm on text, or a judge on ratings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config
from dialometer.cli.train_policy import learn, reward_options, split_reward

if TYPE_CHECKING:
    from dialometer.contracts.train import GenerativeTrainResult, Recall, TrainResult, TuningResult
    from dialometer.contracts.train_policy import PolicyResult
    from dialometer.flows.train.train import TrainReport

EXAMPLES = """\b
Examples:
  dialometer train "lsi(k=100)" conversations.jsonl.gz
  dialometer train "ngram(order=3)" lines.txt -o runs/lm
  dialometer train amfm lines.txt -o runs/amfm && dialometer score out.jsonl -m runs/amfm
  dialometer train amfm lines.txt --tune rated.jsonl -q overall --ks 5,10,20,50
  dialometer train skipthought conversations.jsonl -o runs/skip
  dialometer train hred conversations.jsonl.gz --where split=train -o runs/hred && dialometer chat runs/hred
  dialometer train "vhred(hidden=400,ei=both)" conversations.jsonl --without leaks.json --processes 2
  dialometer train adem rated.jsonl -q overall -o runs/adem && dialometer score out.jsonl -m runs/adem
  dialometer train autojudge rated.jsonl -q engagement --aggregate mace --beside "autojudge(negatives=empty+repeated+universal)"
  dialometer train hybrid chats.jsonl -q quality -o runs/hybrid && dialometer score new-bot.jsonl -m runs/hybrid
  dialometer play --a runs/a1 --name bot1 -o runs/talks && dialometer train hybrid chats.jsonl -q quality --selfplay runs/talks
  dialometer train runs/hred openers.jsonl --reward autojudge --kl 0.5 --penalty 1 --watch runs/other-judge
"""

USE = {
    "metric": "dialometer score FILE -m {}",
    "encoder": "dialometer score FILE -m 'sentence(encoder={})'",
    "likelihood": "dialometer score FILE -m 'amfm(am=minilm,fm={})'",
    "bot": "dialometer chat {0}, or dialometer play --a {0}",
    "judge": "dialometer score FILE -m {}",
}
MEASURES = ("return", "distinct-2", "empty", "repeated", "universal", "perplexity", "words")  # of a policy, in this order


@click.command("train", epilog=EXAMPLES)
@click.argument("spec", metavar="NAME")
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Items that take part, also KEY!=VALUE; repeats.")
@click.option("--without", multiple=True, metavar="FILE", help="Ids to leave out: a line each, or JSON; repeats.")
@click.option("--processes", default=1, show_default=True, type=int, help="Processes that train a bot together.")
@click.option("--tune", multiple=True, metavar="FILE", help="Rated items to choose k, n and λ of amfm on; repeats.")
@click.option(
    "-q",
    "--quality",
    default="",
    metavar="NAME",
    help="The quality that a judge, or tuning, learns; NAME=A,B: by these names in the files.",
)
@click.option("--level", default="item", show_default=True, metavar="LEVEL", help="Tune per item or per system.")
@click.option("--folds", default=0, metavar="N", type=int, help="Folds, contexts whole; 10 for a judge, 5 to tune.")
@click.option("--ks", default="", metavar="LIST", help="Dimensions that are tried; 5,10,20,50,100,200 unless named.")
@click.option("--orders", default="", metavar="LIST", help="n-gram orders that are tried; 1,2,3 unless named.")
@click.option("--ratings", default="", metavar="FILE", help="Judge: a table of judgements beside the items.")
@click.option("--human", multiple=True, metavar="SYSTEM", help="Judge: learn 1 for this system and 0 for others; repeats.")
@click.option(
    "--aggregate",
    default="mean",
    show_default=True,
    metavar="WAY",
    help="Judge: mean, median, z, mace or dawid-skene of an item's ratings; the last three need raters' names.",
)
@click.option("--scale", default="", metavar="LOW,HIGH", help="Judge: the rating scale; others are refused.")
@click.option(
    "--keep-references-equal",
    "drop_references_equal",
    flag_value=False,
    default=True,
    help="Judge: learn from responses that are one of their own references too.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="SPEC",
    help="Judge: an untrained metric to beat, beside length; of replies those that the data allow unless named; repeats.",
)
@click.option("--beside", multiple=True, metavar="SPEC", help="Judge: another judge on the same folds; repeats.")
@click.option(
    "--quick",
    is_flag=True,
    help="Judge: without systems removed from training, data efficiency and stress; hybrid deals ratings 99 times, not 499.",
)
@click.option("--licence", default="", metavar="TEXT", help="Judge: the data's licence, for the card.")
@click.option(
    "--selfplay",
    default="",
    metavar="RUN",
    help="hybrid: self-play of the same bots by the same names, a run of play or a file; each is scored by a fit without it.",
)
@reward_options
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/train-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Fit NAME (hred, vhred, tfidf and other bots; amfm, lsi, ngram, skipthought, tweet2vec; or a spec of one) on text, or a
    judge (adem, autojudge, stack, humanlike; hybrid, of whole conversations) on rated items.

    FILE holds conversations, items with references, or plain text (.txt): an utterance a line, an empty line between
    conversations. For a judge it holds rated replies or rated conversations, for hybrid conversations. The folder it prints is a
    spec: -m runs/train-…, or encoder=runs/train-… inside one. With --reward, NAME is a trained bot that learns from what a judge
    says of its conversations. The same command again resumes an interrupted run, or reprints a finished one.
    """
    from dialometer.cli.progress import bar
    from dialometer.flows.train.ranks import rank_zero, run_worker_if_nonzero_rank

    if run_worker_if_nonzero_rank():  # another machine needs neither the files nor the options
        return
    from dialometer.contracts.train import TrainRequest
    from dialometer.flows.train.train import train

    options = with_config(ctx, options)
    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    if taken := split_reward(ctx, options):
        policy = learn(options, taken, bar(quiet or as_json))
        tell(policy, lambda: render_policy(policy), as_json=as_json, quiet=quiet)
        return
    lists: dict[str, Any] = {
        key: tuple(options.pop(key)) for key in ("where", "without", "tune", "metrics", "beside", "human")
    }
    request = TrainRequest(inputs=tuple(options.pop("files")), **lists, **options)
    notify: Callable[[str], None] = (lambda line: None) if quiet or as_json else (lambda line: click.echo(line, err=True))
    with rank_zero():
        result = train(request, progress=bar(quiet or as_json), notify=notify)
    tell(result, lambda: render(result), as_json=as_json, quiet=quiet)


def tell(
    result: TrainResult | TrainReport | PolicyResult, lines: Callable[[], list[str]], *, as_json: bool, quiet: bool
) -> None:
    """One object, or lines for a reader, or nothing."""
    if as_json:
        import orjson

        click.echo(orjson.dumps(result.to_json()).decode())
    elif not quiet:
        click.echo("\n".join(lines()))


def render(result: TrainResult | TrainReport) -> list[str]:
    """What was fitted on how much, what tuning chose, and the spec to type next."""
    from dialometer.contracts.train import GenerativeTrainResult, RetrievalTrainResult, TrainResult, TunedTrainResult

    use = f"use it: {USE[result.kind].format(_typed(result))}"
    if not isinstance(result, TrainResult):
        assert result.judge is not None  # of other kinds the result is a TrainResult
        from dialometer.cli.train_judge import render_judge

        files = f"report: {result.run}/report.html; card: {result.run}/card.md; numbers: judge.json, predictions.csv"
        return [*render_judge(result.name, result.judge), files, use]
    lines = [f"{result.name} fitted on {result.utterances:,} utterances of {result.conversations:,} conversations"]
    if isinstance(result, TunedTrainResult):
        lines += _tuning(result.tuning)
    if isinstance(result, GenerativeTrainResult):
        lines.append(_learning(result))
    if isinstance(result, RetrievalTrainResult) and result.recall:
        lines.append(_recall(result.recall))
    return [*lines, use]


def render_policy(result: PolicyResult) -> list[str]:
    """How long a policy was trained, its measures before and after, whether early stopping ended it, and what to type next."""
    shown = [name for name in (*MEASURES, *result.watched) if result.before.get(name) is not None]
    width = max(map(len, shown))
    episodes = f"{result.episodes:,} episodes of {result.turns} turns in {result.steps} steps"
    lines = [f"{result.name} trained on the reward of {result.reward}: {episodes}"]
    for name in shown:
        before, after = (_measure(measures.get(name)) for measures in (result.before, result.after))
        lines.append(f"  {name:{width}}  {before:>8} → {after:<8}")
    if result.early_stopping_step:
        what = "ended it" if result.stopped else "would have ended it"
        reasons = f"the return rose while {'; '.join(result.reasons)}"
        lines.append(f"early stopping {what} at step {result.early_stopping_step}: {reasons}")
    if result.stopped:
        lines.append(f"the weights are those of step {result.weights_step}, the last before any measure degraded")
    return [*lines, f"use it: {USE[result.kind].format(_typed(result))}"]


def _measure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _tuning(tuning: TuningResult) -> list[str]:
    """The chosen variant, its correlation inside and outside the folds, and the figures."""
    chosen = tuning.chosen
    where = f"Pearson with {tuning.quality} ({tuning.level} level, n = {tuning.n})"
    held_out = "none" if tuning.held_out is None else f"{tuning.held_out:.3f}"
    return [
        *([f"left out: {tuning.left_out} rated items without a reference"] if tuning.left_out else []),
        f"chosen of {tuning.variants} variants: k = {chosen.k}, n = {chosen.n}, λ = {chosen.weight:g}",
        f"{where}: {tuning.inside:.3f} where it was chosen, {held_out} on folds that did not choose",
        f"pictures: {', '.join(tuning.pictures)}; numbers: variants.csv and one file per curve",
    ]


def _learning(result: GenerativeTrainResult) -> str:
    """The perplexity, on dialogues held out if there were enough."""
    kl = f" (estimate {_perplexity(result.perplexity_estimate)}), KL {result.kl:.2f} nats a turn" if result.kl else ""
    speed = f"{counted(result.steps, 'step')} at {result.tokens_per_second:,} symbols a second"
    part = "held out" if result.held_out else "that it learnt (too few to hold any out)"
    where = f"{counted(result.turns, 'reply', 'replies')} {part}"
    return f"perplexity {_perplexity(result.perplexity)} per word on {where}{kl}; {speed}; curve.csv, curve.png"


def _perplexity(value: float | None) -> str:
    """A perplexity; one beyond the largest number, of a network that has learnt nothing, has none."""
    return "–" if value is None else f"{value:.1f}"


def _recall(recall: Recall) -> str:
    """How often the true response is ranked first, with tf-idf and chance as baselines."""
    methods = {"dualencoder": recall.dualencoder, "tfidf": recall.tfidf, "chance": recall.chance}
    shares = ", ".join(f"{name} {share.at_1:.2f}" for name, share in methods.items())
    return f"the true reply first among {recall.candidates}, of {recall.pairs:,} pairs held out: {shares}"


def counted(number: int, one: str, more: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "reply", "replies"), counted(1200, "step")
    ('1 reply', '1,200 steps')
    """
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def _typed(result: TrainResult | TrainReport | PolicyResult) -> str:
    """The run folder as it can be typed: told from a name by a slash, quoted where it has signs of its own."""
    path = result.run if "/" in result.run else f"./{result.run}"
    if result.kind in ("metric", "judge"):
        return shlex.quote(path)
    return path if re.fullmatch(r'[^\s(),="]+', path) else f'"{path}"'
