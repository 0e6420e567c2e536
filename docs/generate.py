"""Pages made from the code: docs/metrics/*.md from the catalogue, docs/cli.md from the help of every verb.

python docs/generate.py          write them
python docs/generate.py --check  write nothing; name the stale ones and exit with 1
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner

import dialometer
from dialometer.cli.main import VERBS, cli
from dialometer.core.catalog import CATALOG
from dialometer.core.ranges import numbers_of
from dialometer.core.recipes import recipe
from dialometer.core.registry import find, spec_of
from dialometer.data import examples

DOCS = Path(__file__).resolve().parent
WIDTH = 100
HEAD = "<!-- Made by docs/generate.py: change the code, then run `make fix`. -->\n\n"
# What a recipe says about files that one machine has and another lacks; METEOR's word lists are the only ones so far.
OF_THE_MACHINE = frozenset({"stages", "missing", "lists", "wordnet", "paraphrases"})
WITHOUT_LISTS = "-fewprefixes"  # how the recipe of its tokeniser says the same
SAMPLE = Path(dialometer.__file__).parent / "samples" / "smalltalk.jsonl"
EXAMPLES = {
    "amfm": (
        "amfm(text=lines.txt)",
        "runs/train-…",
        "amfm(am=minilm,fm=ngram(arpa=lm.arpa))",
        "amfm(text=lines.txt,pm=0.2,polarity=0.5)",
    ),
    "bertscore": ("bertscore", "bertscore(idf=references)", "bertscore(encoder=minilm(model=FOLDER),pool=mean)"),
    "bleu": ("bleu", "bleu(order=2)", "bleu(variant=coco,tok=whitespace)", "bleu(variant=nltk-m1,smooth=m4)"),
    "cider": ("cider", "cider(variant=coco,tok=whitespace)", "cider(idf=documents.txt)"),
    "conversation": ("conversation", "conversation(encoder=average,emotion=prompted(encoder=average))"),
    "distinct": ("distinct", "distinct(sample=200)"),
    "embedding": (
        "embedding",
        "embedding(vectors=glove(path=glove.6B.300d.txt))",
        "embedding(variant=nlg-eval,tok=ptb)",
        "embedding(weights=idf,pool=mean)",
    ),
    "length": ("length", "length(tok=whitespace)"),
    "logprob": ("logprob(text=lines.txt)", "logprob(model=runs/train-…)", "logprob(model=ngram(arpa=lm.arpa))"),
    "meteor": ("meteor", "meteor(variant=nltk)", "meteor(stages=exact+stem)"),
    "rouge": ("rouge", "rouge(beta=1,tok=rouge)", "rouge(variant=coco,kinds=l,tok=whitespace)"),
    "sentence": (
        "sentence",
        "sentence(encoder=average)",
        "sentence(encoder=minilm(model=FOLDER))",
        "sentence(encoder=runs/train-…,pool=mean)",
    ),
    "turns": ("turns", "turns(emotion=deepmoji(model=FOLDER))", "turns(vectors=glove(path=glove.6B.300d.txt))"),
}
GUIDE = {  # page and words of a metric's own guide
    "amfm": ("amfm", "How to fit and tune it: [the guide to AM-FM]"),
    "bertscore": ("encoders", "Encoders and options: [the guide to sentence vectors]"),
    "conversation": ("conversations", "Features and forms: [the guide to conversations]"),
    "embedding": ("vectors", "Vector files and rules: [the guide to word vectors]"),
    "sentence": ("encoders", "Encoders and options: [the guide to sentence vectors]"),
    "turns": ("conversations", "Features and forms: [the guide to conversations]"),
}
PLAIN_GUIDE = ("metrics", "Which variant to report: [the guide to metrics]")


def pages() -> dict[str, str]:
    """Every generated page, by its path below docs/."""
    made = {f"metrics/{name}.md": HEAD + metric_page(name) for name in CATALOG["metric"]}
    return {**made, "metrics/README.md": HEAD + index_page(), "cli.md": HEAD + cli_page()}


def metric_page(name: str) -> str:
    """One metric: what it is, its options, variants, columns, needs, recipe and specs."""
    made = find("metric", name)
    module = sys.modules[made.__module__]
    metric = made()
    summary, *more = paragraphs(module.__doc__ or "")
    about, example = split_example(inspect.getdoc(made) or "")
    where = f"../../src/{made.__module__.replace('.', '/')}.py"
    guide, words = GUIDE.get(name, PLAIN_GUIDE)
    parts = [
        f"# {name}",
        sentence(summary),
        *more,
        *paragraphs(about),
        says(made, metric),
        "## Options",
        options_table(made, module),
        *variants(module),
        "## Recipe of the default",
        f"```text\n{recipe_line(metric)}\n```",
        *machine_note(metric),
        "## Specs",
        "```text\n" + "\n".join(EXAMPLES.get(name, (spec_of(metric, name),))) + "\n```",
        *([f"## Example\n\n```python\n{example}\n```"] if example else []),
        f"Source: [{name}.py]({where}). {words}(../guide/{guide}.md).",
    ]
    return "\n\n".join(parts) + "\n"


def says(made: Any, metric: Any) -> str:
    """Columns, needs, and what gets a number."""
    unit = "conversation" if made.unit == "dialogue" else "response"
    per = f"{unit} and per set of {unit}s" if hasattr(made, "measure") else "set of responses; no column per item"
    needs = codes(sorted(metric.needs)) or "nothing but the response"
    return f"Columns: {codes(metric.columns)}. Needs: {needs}. One number per {per}."


def index_page() -> str:
    """The table of all metrics."""
    rows = ["| metric | what it is | columns | variants | needs |", "|---|---|---|---|---|"]
    for name in CATALOG["metric"]:
        made = find("metric", name)
        about = sentence(paragraphs(sys.modules[made.__module__].__doc__ or "")[0])
        cells = (codes(made().columns), codes(getattr(made, "variants", ())), codes(sorted(made().needs)))
        rows.append(f"| [{name}]({name}.md) | {about} | " + " | ".join(cell or "–" for cell in cells) + " |")
    return "# Metrics\n\nWhat `dialometer list metrics` prints, with a page for each.\n\n" + "\n".join(rows) + "\n"


def cli_page() -> str:
    """The help of the command and of every verb."""
    blocks = ["# The command line", "Every verb is a Python function too; see the [guide to runs](guide/runs.md)."]
    for verb in ("", *VERBS):
        done = CliRunner().invoke(
            cli, [*verb.split(), "--help"], prog_name="dialometer", terminal_width=WIDTH, max_content_width=WIDTH
        )
        assert done.exit_code == 0, done.output
        blocks += [f"## dialometer {verb}".rstrip(), f"```text\n{done.output.rstrip()}\n```"]
    return "\n\n".join(blocks) + "\n"


def paragraphs(text: str) -> list[str]:
    """Paragraphs of a docstring as Markdown."""
    return [" ".join(part.split()).replace("``", "`") for part in inspect.cleandoc(text).split("\n\n") if part.strip()]


def sentence(summary: str) -> str:
    """The first paragraph without the metric's own name before the colon, as a sentence.

    >>> sentence("`length`: how long responses are.")
    'How long responses are.'
    """
    said = re.sub(r"^`[\w.-]+`[^:]*: ", "", summary)
    return said[:1].upper() + said[1:]


def split_example(text: str) -> tuple[str, str]:
    """A docstring's prose, and its doctest."""
    prose, mark, rest = text.partition(">>> ")
    return prose, textwrap.dedent(mark + rest).strip()


def options_table(made: Any, module: Any) -> str:
    """Fields with type, range of the numbers, and default."""
    rows, numbers = ["| option | type | default |", "|---|---|---|"], numbers_of(made)
    for field in dataclasses.fields(made):
        if field.repr:
            own = field.default in ("", getattr(module, "OWN", ""))
            number = numbers.get(field.name)
            kind = f"{number.type.__name__}, {number.range}" if number else field.type
            rows.append(f"| `{field.name}` | {kind} | {'–' if own else f'`{field.default}`'} |")
    note = "\n\nA dash: the variant decides, or there is none."
    return "\n".join(rows) + (note if any(row.endswith("| – |") for row in rows) else "")


def variants(module: Any) -> list[str]:
    """What each variant settles, if there are any."""
    known: dict[str, Any] = getattr(module, "VARIANTS", {})
    rows = [
        f"| `{name}` | {value if isinstance(value, str) else codes(f'{k}={_short(v)}' for k, v in value._asdict().items())} |"
        for name, value in known.items()
    ]
    return ["## Variants", "\n".join(["| variant | what it settles |", "|---|---|", *rows])] if rows else []


def _short(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def recipe_line(metric: Any) -> str:
    """The recipe without what depends on the machine; of a metric that must be fitted, that of one fitted on the sample."""
    if "text" in metric.needs:  # what it learns differs in the last digits from machine to machine, and so does its hash
        with TemporaryDirectory() as folder:
            lines = Path(folder, "lines.txt")
            lines.write_text("\n".join(text for e in examples(SAMPLE) for text in e.references), encoding="utf-8")
            return re.sub("@[0-9a-f]{8}", "@…", recipe(dataclasses.replace(metric, text=str(lines))))
    parts = [part.removesuffix(WITHOUT_LISTS) for part in recipe(metric).split("|")]
    return "|".join(part for part in parts if part.split(":")[0] not in OF_THE_MACHINE)


def machine_note(metric: Any) -> list[str]:
    """What was left out of the recipe above."""
    if "text" in metric.needs:
        return ["Here it was fitted on the references of the packaged sample; the hashes after `@` name what was learnt."]
    if not any(part.split(":")[0] in OF_THE_MACHINE for part in recipe(metric).split("|")):
        return []
    note = (
        "A printed recipe also names the stages that ran, those that could not (`missing`), and hashes of the word lists, "
        "WordNet and paraphrase table behind them; they depend on what is installed (`dialometer doctor`)."
    )
    return [note]


def codes(words: Any) -> str:
    """Words in code type, with commas between them."""
    return ", ".join(f"`{word}`" for word in words)


def stale(docs: Path, made: dict[str, str]) -> list[str]:
    """Pages that differ from what the code says, are missing, or belong to nothing any more."""
    wrong = [name for name, text in made.items() if not _same(docs / name, text)]
    return sorted([*wrong, *(name for name in _present(docs) if name not in made)])


def write(docs: Path, made: dict[str, str]) -> None:
    """Write the stale pages and take away those that belong to nothing."""
    for name in stale(docs, made):
        path = docs / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def _present(docs: Path) -> list[str]:
    return [f"metrics/{path.name}" for path in docs.glob("metrics/*.md")]


def main(arguments: list[str]) -> int:
    """Write, or check."""
    made = pages()
    if "--check" not in arguments:
        write(DOCS, made)
        return 0
    found = stale(DOCS, made)
    for name in found:
        print(f"docs/{name} is stale; run: python docs/generate.py")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
