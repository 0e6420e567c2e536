"""dialometer why: one response under every variant, with the arithmetic shown."""

from __future__ import annotations

from typing import Any

import click

EXAMPLES = """\b
Examples:
  dialometer why outputs.jsonl --id item-7 -m bleu
  dialometer why outputs.jsonl --id item-7 -m "meteor(variant=1.5)" -m rouge --tok whitespace
"""


@click.command("why", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--id", "item", required=True, metavar="ID", help="The response to explain.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="SPEC", help="A metric; without variant= all are shown.")
@click.option("--tok", default="", metavar="SPEC", help="Tokeniser of metrics whose spec names none.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--allow-empty-references", is_flag=True, help="Keep references without text.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(files: tuple[str, ...], item: str, as_json: bool, **options: Any) -> None:
    """Show why a response got its score: counts, clipping, brevity, alignment."""
    from dialometer.cli.progress import bar
    from dialometer.contracts.why import WhyRequest
    from dialometer.flows.why import why

    report = why(WhyRequest(inputs=files, id=item, **options), progress=bar(as_json))
    example = report.example
    if as_json:
        from dialometer.contracts.result import encode

        click.echo(encode(report.result).decode())
        return
    for turn in example.context:
        click.echo(f"context    {turn.text}")
    click.echo(f"response   {example.response}")
    for reference in example.references:
        click.echo(f"reference  {reference}")
    for explanation in report.explanations:
        click.echo(f"\n{explanation.recipe}")
        for line in explanation.lines:
            click.echo(f"  {line}")
