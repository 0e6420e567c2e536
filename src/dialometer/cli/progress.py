"""A progress bar on standard error: on a terminal only, silence in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def bar(quiet: bool) -> Callable[[str, int, int], None]:
    """A function that shows (stage, done, total); a total of 0 is not known. What follows a dot in the stage comes last."""
    if quiet or not sys.stderr.isatty():
        return lambda stage, done, total: None
    started: dict[str, float] = {}
    shown = ""

    def show(stage: str, done: int, total: int) -> None:
        nonlocal shown
        stage, _, note = stage.partition(" · ")
        if stage not in started:
            started[stage] = time.monotonic()
            if shown:
                sys.stderr.write("\n")
        passed = time.monotonic() - started[stage]
        if total:
            filled = 24 * done // total
            left = passed / done * (total - done) if done else 0.0
            shown = (
                f"{stage:>10} {'█' * filled}{'░' * (24 - filled)} {done}/{total}  {left:.0f} s left{note and '  '}{note}"
            )
        else:
            shown = f"{stage:>10} {done:,} in {passed:.1f} s"
        sys.stderr.write(f"\r\x1b[K{shown}")
        if total and done == total:
            sys.stderr.write("\n")
            shown = ""
        sys.stderr.flush()

    return show
