"""dialometer convert: between file formats, or from the raw files of a public corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dialometer.core.files import MAX_LINE

if TYPE_CHECKING:
    from dialometer.contracts.convert import ConvertResult

EXAMPLES = """\b
Examples:
  dialometer convert ratings.csv -o ratings.jsonl.gz
  dialometer convert chats.json --from chat -o dialogues.parquet
  dialometer convert --hyp bot.txt --ref human1.txt --ref human2.txt -o items.jsonl
  dialometer convert --hyp bot1.txt --hyp bot2.txt --ref human.txt -o items.jsonl
  dialometer convert --builder reddit --placeholders url,number,user RC_2018.jsonl.gz -o reddit.jsonl.gz
"""


@click.command("convert", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("-o", "--output", default="", help="The file to write; .gz at its end packs it.")
@click.option("--from", "format_in", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--to", "format_out", default="", metavar="FORMAT", help="How to write; by the output's name unless given.")
@click.option("--hyp", multiple=True, metavar="FILE", help="Parallel text: a system's responses, one a line; repeats.")
@click.option("--ref", "references", multiple=True, metavar="FILE", help="Parallel text: references, one a line; repeats.")
@click.option("--builder", default="", metavar="NAME", help="Raw corpus: cornell, dailydialog, reddit, tweets or ubuntu.")
@click.option("--placeholders", default="", metavar="KINDS", help="Mask texts: any of url,number,user.")
@click.option("--max-line", default=MAX_LINE, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--lossy", is_flag=True, help="Drop what the output format cannot hold.")
@click.option("--allow-empty-references", is_flag=True, help="Keep references without text.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
def command(
    files: tuple[str, ...],
    output: str,
    format_in: str,
    format_out: str,
    hyp: tuple[str, ...],
    references: tuple[str, ...],
    builder: str,
    placeholders: str,
    max_line: int,
    lossy: bool,
    allow_empty_references: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Convert files between jsonl, csv, tsv, parquet, parallel text, chat messages and dstc10.

    Nothing is lost on the way: unknown fields are kept, and a format that cannot hold a field refuses.
    """
    from dialometer.contracts.convert import ConvertRequest
    from dialometer.core.errors import UsageError
    from dialometer.flows.convert import convert

    if hyp and (files or format_in not in ("", "parallel")):
        raise UsageError(
            "--hyp is the only input: it goes with --ref, not with FILE or --from", "--hyp bot.txt --ref human.txt"
        )
    if len(hyp) > 1 and not references:
        raise UsageError(f"{len(hyp)} files of responses share references, and none was named", "--ref human.txt")
    request = ConvertRequest(
        inputs=hyp or files,
        output=output,
        format_in="parallel" if hyp else format_in,
        format_out=format_out,
        references=references,
        builder=builder,
        placeholders=tuple(placeholders.split(",")),
        max_line=max_line,
        lossy=lossy,
        allow_empty_references=allow_empty_references,
    )
    _print(convert(request), as_json, quiet)


def _print(done: ConvertResult, as_json: bool, quiet: bool) -> None:
    """The result in one line, and what a builder left out on standard error."""
    if as_json:
        from dialometer.contracts.result import encode

        click.echo(encode(done).decode())
        return
    if quiet:
        return
    click.echo(f"{done.n} items, {done.format_in} → {done.format_out}: {done.output}")
    for what, number in done.counts.items():
        if number:
            click.echo(f"  {number} {what}", err=True)
