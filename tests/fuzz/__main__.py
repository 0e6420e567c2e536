"""Run cases and print a summary; or make, print and run one."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.cases import ATTACKS, case
from tests.fuzz.runner import BYTES, SECONDS, Outcome, Runner


def main() -> int:
    """What the command line asks for; 1 where a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many cases are run")
    parser.add_argument("--jobs", type=int, default=1, help="how many are run at the same time")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--case", type=int, help="make, print and run this one; its folder is kept")
    parser.add_argument("--seed", default="0", help="another seed gives other cases")
    parser.add_argument("--store", type=Path, help="where finished runs to damage are kept from one call to the next")
    parser.add_argument("--failures", type=Path, help="a file for the distinct failures")
    given = parser.parse_args()
    if given.case is not None:
        return replay(given.case, given.seed, given.store)
    numbers = range(given.first, given.first + given.cases)
    with tempfile.TemporaryDirectory(prefix="dialometer-fuzz-store-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        shares = [numbers[at :: given.jobs] for at in range(given.jobs)]
        found = pool.map(lambda share: attack(share, given.seed, given.store or Path(folder)), shares)
        outcomes = sorted((outcome for share in found for outcome in share), key=lambda outcome: outcome.case.number)
    print(summary(outcomes))
    failures = [outcome for outcome in outcomes if outcome.problems]
    if given.failures:
        given.failures.write_text(distinct(failures), encoding="utf-8", errors="backslashreplace")
    return 1 if failures else 0


def attack(numbers: Iterable[int], seed: str, store: Path) -> list[Outcome]:
    """Run cases one after another; a failure is told at once."""
    outcomes = []
    with Runner(store) as runner:
        for number in numbers:
            outcomes.append(runner.run(case(number, seed)))
            if outcomes[-1].problems:
                said = f"case {number}: {outcomes[-1].signature}"
                print(said.encode("utf-8", "backslashreplace").decode(), file=sys.stderr, flush=True)
    return outcomes


def replay(number: int, seed: str, store: Path | None) -> int:
    """Make one case in a folder that stays, print it as shell commands, run it, and say how it ended."""
    one = case(number, seed)
    folder = Path(tempfile.mkdtemp(prefix=f"dialometer-case-{number}-")) / "folder"
    with Runner(store) as runner:
        ended = runner.run(one, keep=folder)
    for name in ("stdout", "stderr"):
        path = folder.parent / f"folder.{name}"
        if path.exists() and not path.stat().st_size:
            path.unlink()
    print(f"# case {number}: {one.attack} ({'; '.join(one.covers)}){f'; damaged: {ended.spoilt}' if ended.spoilt else ''}")
    print(one.shell(folder).encode("utf-8", "backslashreplace").decode())
    print(
        f"# exit code {ended.code}, {ended.seconds:.1f} s, {ended.memory >> 20} MB: {', '.join(ended.problems) or 'good'}"
    )
    print(ended.errors.encode("utf-8", "backslashreplace").decode())
    return 1 if ended.problems else 0


def summary(outcomes: list[Outcome]) -> str:
    """Tables in Markdown: cases by command and attack, ends by attack, the slowest and the largest, and what failed."""
    attacks = list(dict.fromkeys(ATTACKS))
    by = Counter((outcome.case.command, outcome.case.attack) for outcome in outcomes)
    commands = sorted({command for command, _ in by})
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        ends[outcome.case.attack][outcome.killed or str(outcome.code)] += 1
    took = {attack: sum(outcome.seconds for outcome in outcomes if outcome.case.attack == attack) for attack in attacks}
    codes = sorted({code for counts in ends.values() for code in counts})
    rows = [[attack, *(ends[attack][code] or "" for code in codes), f"{took[attack]:.0f}"] for attack in attacks]
    failures = [outcome for outcome in outcomes if outcome.problems]
    kinds = Counter(problem for outcome in failures for problem in outcome.problems)
    slow = sorted(outcomes, key=lambda outcome: -outcome.seconds)[:5]
    large = sorted(outcomes, key=lambda outcome: -outcome.memory)[:5]
    bad = (
        f"{kinds['traceback']} tracebacks, {kinds['hang']} beyond {SECONDS:g} s, {kinds['memory']} beyond {BYTES >> 30} GB"
    )
    head = f"{len(outcomes):,} cases: {bad}, {len(failures)} failures in all; {sum(o.seconds for o in outcomes):.0f} s."
    lines = [
        head,
        "", *_table(["command", *attacks], [[command, *(by[command, attack] or "" for attack in attacks)] for command in commands]),
        "", *_table(["attack", *(f"exit {code}" for code in codes), "seconds"], rows),
        "", *_table(["slowest", "seconds", "command"], [[o.case.number, f"{o.seconds:.1f}", _short(o)] for o in slow]),
        "", *_table(["largest", "MB", "command"], [[o.case.number, o.memory >> 20, _short(o)] for o in large]),
    ]  # fmt: skip
    return "\n".join([*lines, *(["", distinct(failures)] if failures else [])])


def distinct(failures: Iterable[Outcome]) -> str:
    """Failures by what they have in common, the most frequent first, with the command that shows one."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in failures:
        groups[outcome.signature].append(outcome)
    ranked = sorted(groups.items(), key=lambda pair: -len(pair[1]))
    rows = [
        [len(found), f"`{name}`", f"`python -m tests.fuzz --case {found[0].case.number}`", _short(found[0])]
        for name, found in ranked
    ]
    return "\n".join(_table(["times", "failure", "replay", "command"], rows))


def _short(outcome: Outcome) -> str:
    text = " ".join(outcome.case.argv).encode("unicode_escape").decode().replace("|", "\\|").replace("`", "'")
    return f"`{text if len(text) < 150 else text[:150] + '…'}`"


def _table(header: list[str], rows: list[list[object]]) -> list[str]:
    return ["| " + " | ".join(map(str, row)) + " |" for row in [header, ["---"] * len(header), *rows]]


if __name__ == "__main__":
    sys.exit(main())
