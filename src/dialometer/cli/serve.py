"""dialometer serve: bots over HTTP, OpenAI-compatible."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from dialometer.cli.config import with_config

EXAMPLES = """\b
Examples:
  dialometer serve eliza
  dialometer serve runs/hred eliza --port 8000 --name hred --name eliza
  TOKEN=secret dialometer serve runs/hred --host 0.0.0.0 --token-env TOKEN --rate 20
  curl localhost:8000/v1/chat/completions -d '{"model": "eliza", "messages": [{"role": "user", "content": "Hello"}]}'
"""


@click.command("serve", epilog=EXAMPLES)
@click.argument("bots", nargs=-1, metavar="BOT…")
@click.option(
    "--name", "names", multiple=True, metavar="NAME", help="Model name of a bot, in order; its spec unless named."
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="HOST", help="Address to open.")
@click.option("--port", default=8000, show_default=True, type=int, help="Port to open; 0 takes any free one.")
@click.option("--batch", default=64, show_default=True, type=int, help="Most requests that a bot answers in one call.")
@click.option(
    "--wait", default=5.0, show_default=True, type=float, help="Milliseconds to wait for one more request, on a busy bot."
)
@click.option("--token-env", default="", metavar="NAME", help="Environment variable that holds the bearer token.")
@click.option("--max-body", default=1 << 20, show_default=True, type=int, help="Bytes of a request.")
@click.option("--max-messages", default=256, show_default=True, type=int, help="Messages of a request.")
@click.option("--max-chars", default=16_384, show_default=True, type=int, help="Characters of a message.")
@click.option("--max-n", default=16, show_default=True, type=int, help="Replies to one request.")
@click.option("--max-queue", default=1024, show_default=True, type=int, help="Requests that may wait for a bot.")
@click.option("--timeout", default=60.0, show_default=True, type=float, help="Seconds until a request is given up.")
@click.option("--rate", default=0.0, type=float, help="Requests per second and client; any number unless named.")
@click.option("--grace", default=30.0, show_default=True, type=float, help="Seconds to finish in, once it is stopped.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of requests that bring none.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="Where it is open as one JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Serve bots over HTTP, to every client of OpenAI's chat completions.

    BOT is a spec such as eliza or tfidf(mode=response), or the folder of a trained one. All bots are loaded before the port
    opens. Ctrl-C or SIGTERM ends it, once everything that was asked is answered.
    """
    options = with_config(ctx, options)
    from dialometer.contracts.serve import ServeRequest
    from dialometer.flows.serve.serve import serve

    as_json, quiet = options.pop("as_json"), options.pop("quiet")

    def announce(url: str, names: list[str]) -> None:
        if as_json:
            import orjson

            click.echo(orjson.dumps({"url": url, "models": names}).decode())
        elif not quiet:
            click.echo(f"serving {', '.join(names)} at {url} (Ctrl-C ends it)")

    served = serve(ServeRequest(bots=tuple(options.pop("bots")), **options), announce=announce)
    if served.cut_off and not quiet:
        click.echo(f"{served.cut_off} requests were cut off: they took longer than --grace", err=True)
    if served.busy:  # a bot that is still at work would keep the process, or break it while Python goes down
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
