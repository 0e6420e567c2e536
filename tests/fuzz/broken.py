"""A command that misbehaves in the way it is told to: what the fuzz must report."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import ModuleType

import click

from dialometer.cli import main as door


@click.command("broken")
@click.argument("way")
def command(way: str) -> None:
    """Misbehave."""
    if way == "raise":
        raise ValueError("not caught")
    if way == "hang":
        time.sleep(600)
    if way == "spin":
        while True:
            pass
    if way == "eat":
        kept = [bytes(1 << 20) * 64 for _ in range(64)]
        time.sleep(len(kept))
    if way == "eat in a child":
        subprocess.run(
            [sys.executable, "-c", "kept = [b'x' * (64 << 20) for _ in range(64)]; import time; time.sleep(600)"]
        )
    if way == "abort":
        os.abort()
    if way == "silent":
        sys.stderr.close()
        os._exit(2)
    if way == "seven":
        os._exit(7)
    if way == "no way out":
        click.echo("error: this did not work", err=True)
        os._exit(2)


def main() -> None:
    """The command line with one verb more."""
    module = ModuleType("dialometer.cli.broken")
    module.command = command  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    door.VERBS["broken"] = "misbehave"
    door.main()
