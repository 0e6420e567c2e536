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
    from dialometer.flows.train.train import TrainReport
    from dialometer.flows.train_policy.request import RewardReport

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
    from dialometer.flows.train.ranks import followed, leading

    if followed():  # another machine needs neither the files nor the options
        return
    from dialometer.contracts.train import TrainRequest
    from dialometer.flows.train.train import train

    options = with_config(ctx, options)
    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    if taken := split_reward(ctx, options):
        learnt = learn(options, taken, bar(quiet or as_json))
        tell(learnt, [*learnt.lines(), f"use it: {USE['bot'].format(_typed(learnt))}"], as_json=as_json, quiet=quiet)
        return
    lists: dict[str, Any] = {
        key: tuple(options.pop(key)) for key in ("where", "without", "tune", "metrics", "beside", "human")
    }
    request = TrainRequest(inputs=tuple(options.pop("files")), **lists, **options)
    notify: Callable[[str], None] = (lambda line: None) if quiet or as_json else (lambda line: click.echo(line, err=True))
    with leading():
        report = train(request, progress=bar(quiet or as_json), notify=notify)
    tell(report, [render(report)], as_json=as_json, quiet=quiet)


def tell(report: TrainReport | RewardReport, lines: list[str], *, as_json: bool, quiet: bool) -> None:
    """One object, or lines for a reader, or nothing."""
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo("\n".join(lines))


def render(report: TrainReport) -> str:
    """What was fitted on how much, what tuning chose, and the spec to type next."""
    facts = report.facts
    if report.judge:
        from dialometer.cli.train_judge import render_judge

        files = f"report: {report.run}/report.html; card: {report.run}/card.md; numbers: judge.json, predictions.csv"
        return "\n".join(
            [*render_judge(report.name, report.judge), files, f"use it: {USE['judge'].format(_typed(report))}"]
        )
    lines = [f"{report.name} fitted on {facts['utterances']:,} utterances of {facts['conversations']:,} conversations"]
    if tuning := facts.get("tuning"):
        chosen = tuning["chosen"]
        seen = f"Pearson with {tuning['quality']} ({tuning['level']} level, n = {tuning['n']})"
        held_out = "none" if tuning["held_out"] is None else f"{tuning['held_out']:.3f}"
        reached = f"{tuning['inside']:.3f} where it was chosen, {held_out} on folds that did not choose"
        lines += [
            *([f"left out: {tuning['left_out']} rated items without a reference"] if tuning["left_out"] else []),
            f"chosen of {tuning['variants']} variants: k = {chosen['k']}, n = {chosen['n']}, λ = {chosen['weight']:g}",
            f"{seen}: {reached}",
            f"pictures: {', '.join(tuning['pictures'])}; numbers: variants.csv and one file per curve",
        ]
    if "perplexity" in facts:
        lines.append(_learning(facts))
    if facts.get("recall"):
        lines.append(_recall(facts["recall"]))
    return "\n".join([*lines, f"use it: {USE[report.kind].format(_typed(report))}"])


def _learning(facts: dict[str, Any]) -> str:
    """How well a bot speaks, on conversations that it did not learn from if there were enough."""
    kl = f" (estimate {_perplexity(facts['perplexity_estimate'])}), KL {facts['kl']:.2f} nats a turn" if facts["kl"] else ""
    best = f"{counted(facts['steps'], 'step')} at {facts['tokens_per_second']:,} symbols a second"
    seen = "held out" if facts["held_out"] else "that it learnt (too few to hold any out)"
    where = f"{counted(facts['turns'], 'reply', 'replies')} {seen}"
    return f"perplexity {_perplexity(facts['perplexity'])} per word on {where}{kl}; {best}; curve.csv, curve.png"


def _perplexity(value: float | None) -> str:
    """A perplexity; one beyond the largest number, of a network that has learnt nothing, has none."""
    return "–" if value is None else f"{value:.1f}"


def _recall(found: dict[str, Any]) -> str:
    """How often a bot that chooses finds the true reply, beside tf-idf and chance."""
    ways = ", ".join(f"{name} {at['@1']:.2f}" for name, at in found.items() if isinstance(at, dict))
    return f"the true reply first among {found['candidates']}, of {found['pairs']:,} pairs held out: {ways}"


def counted(number: int, one: str, more: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "reply", "replies"), counted(1200, "step")
    ('1 reply', '1,200 steps')
    """
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def _typed(report: TrainReport | RewardReport) -> str:
    """The run folder as it can be typed: told from a name by a slash, quoted where it has signs of its own."""
    path = report.run if "/" in report.run else f"./{report.run}"
    if report.kind in ("metric", "judge"):
        return shlex.quote(path)
    return path if re.fullmatch(r'[^\s(),="]+', path) else f'"{path}"'
