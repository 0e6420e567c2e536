"""The bot server under load: clients that ask all the time, answered in batches and one at a time, as a ratio.

A client is a thread with a connection of its own that asks, waits for the reply and asks again. Every question is another turn of
DailyDialog's test part, with a seed. A reply is lost if none came; it is crossed if it is what the bot, asked alone in this
process, says to somebody else's question and not to this one; it is another if nobody's question has it (sums in another order may
turn a draw over). Server and clients share the machine; networks speak on one thread. Wall-clock time.

    python benchmarks/serve.py [RUN] [--clients 50] [--requests 8] [--batch 64] [--talks 200]

Without RUN an hred(hidden=400) is trained on a few conversations first: how fast it speaks does not depend on what it says.
"""

import argparse
import http.client
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from retrieval import talks_of

from dialometer.bots._shared.ask import ask
from dialometer.core.registry import create
from dialometer.core.types import Turn

SPEC = "hred(hidden=400,embedding=300,vocabulary=8000,epochs=1,decode=sample)"
Question = tuple[list[str], int]  # turns and seed


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", default="")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--requests", type=int, default=8)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--talks", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run = asked.run or trained(Path(name, "bot"), asked.talks)
        questions = some_questions(asked.clients * asked.requests)
        bot = create("bot", run)
        told = {"bot": alone(bot, questions), "parrot": [turns[-1] for turns, _ in questions]}
        what = f"`{SPEC}`" if run != asked.run else f"`{bot.name}` of {run}"
        print(f"{what}; {asked.clients} clients, {asked.requests} questions each\n")
        print(
            "| model | --batch | replies/s | p50, ms | p95, ms | lost | crossed | other |\n|---|---|---|---|---|---|---|---|"
        )
        speed = {}
        for batch in (1, asked.batch):
            with Served(run, batch) as place:
                for model in ("parrot", "bot"):
                    speed[model, batch] = row(place, model, batch, questions, told[model], asked.clients)
    ratio = speed["bot", asked.batch] / speed["bot", 1]
    print(f"\nin batches ÷ one at a time: {ratio:.1f}× (goal: 5 or more)")


def trained(folder: Path, talks: int) -> str:
    """A bot of the size that is asked about."""
    create("bot", SPEC).fit(talks_of("dailydialog", "train")[:talks], seed=0).save(folder)
    return str(folder)


def some_questions(number: int) -> list[Question]:
    """Contexts of one or two turns, no last turn twice."""
    found: dict[str, Question] = {}
    for talk in talks_of("dailydialog", "test"):
        for before, last in pairwise(["", *talk]):
            turns = [" ".join(turn.split()) for turn in (before, last) if turn]
            found.setdefault(turns[-1], (turns, len(found)))
    if len(found) < number:
        raise SystemExit(f"there are {len(found)} questions: ask for fewer with --requests")
    return list(found.values())[:number]


def alone(bot, questions: list[Question]) -> list[str]:
    """What the bot says to each question, asked one at a time."""
    return [ask(bot, [tuple(Turn("user", turn) for turn in turns)], seed=[seed])[0].replies[0] for turns, seed in questions]


class Served:
    """``dialometer serve`` in a process of its own, ended at the end."""

    def __init__(self, run: str, batch: int) -> None:
        names = ["--name", "bot", "--name", "parrot", "--port", "0", "--batch", str(batch), "--json", "--timeout", "600"]
        self.command = [sys.executable, "-m", "dialometer", "serve", run, "parrot", *names]

    def __enter__(self) -> str:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the server did not start")
        return urlsplit(json.loads(line)["url"]).netloc

    def __exit__(self, *error: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def row(place: str, model: str, batch: int, questions: list[Question], told: list[str], clients: int) -> float:
    """One line of the table; replies per second."""
    replies: list[str | None] = [None] * len(questions)
    seconds = [0.0] * len(questions)

    def client(first: int) -> None:
        line = http.client.HTTPConnection(place, timeout=600)
        for number in range(first, len(questions), clients):
            begun = time.perf_counter()
            replies[number] = reply(line, model, *questions[number])
            seconds[number] = time.perf_counter() - begun
        line.close()

    threads = [threading.Thread(target=client, args=(first,)) for first in range(clients)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    speed = len(questions) / (time.perf_counter() - begun)
    wrong = [said for said, right in zip(replies, told, strict=True) if said is not None and said != right]
    lost, crossed = replies.count(None), sum(said in told for said in wrong)
    p50, p95 = (1000 * np.percentile(seconds, q) for q in (50, 95))
    cells = f"{speed:,.1f} | {p50:,.0f} | {p95:,.0f} | {lost} | {crossed} | {len(wrong) - crossed}"
    print(f"| {model} | {batch} | {cells} |", flush=True)
    return speed


def reply(line: http.client.HTTPConnection, model: str, turns: list[str], seed: int) -> str | None:
    """The reply to a question, or None."""
    messages = [{"role": "user", "content": turn} for turn in turns]
    body = json.dumps({"model": model, "messages": messages, "seed": seed})
    line.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    answer = line.getresponse()
    found = json.loads(answer.read())
    return found["choices"][0]["message"]["content"] if answer.status == 200 else None


if __name__ == "__main__":
    main()
