"""Small rated files for tests: responses of several systems to shared contexts, with named raters."""

import json

import numpy as np

from dialometer.contracts.meta import MetaRequest
from dialometer.flows.meta.meta import meta

QUICK = {"resamples": 100, "permutations": 50}
WORDS = "tea coffee milk sugar rain sun bike train cat dog film song".split()


def rated_rows(contexts=12, systems=5, raters=4, seed=1):
    """Responses whose quality grows with the system's number; raters see it through noise of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for context in range(contexts):
        reference = [*rng.choice(WORDS, 6)]
        for system in range(systems):
            kept = 1 + system + int(rng.integers(0, 2))
            response = [*reference[:kept], *rng.choice(WORDS, int(rng.integers(0, 4)))]
            truth = 1 + 4 * kept / (systems + 1)
            given = np.clip(np.rint(truth + rng.normal(0, 0.7, raters)), 1, 5).astype(int).tolist()
            rows.append(
                {
                    "id": f"c{context}-s{system}",
                    "context": [f"what about {reference[0]} ?"],
                    "context_id": str(context),
                    "response": " ".join(response),
                    "references": [" ".join(reference)],
                    "system": f"s{system}",
                    "ratings": {"overall": given, "fluent": given[::-1]},
                    "raters": [f"r{number}" for number in range(raters)],
                    "checked": system > 0,
                }
            )
    return rows


def write_rows(path, rows):
    """Rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def run_meta(tmp_path, inputs, metrics=(), name="run", **options):
    """A comparison in a folder of its own."""
    return meta(MetaRequest((inputs,), metrics, output=str(tmp_path / name), **{**QUICK, **options}))


def rows_by(report, level, quality="overall"):
    """Rows of one level and quality, by metric."""
    return {r["metric"]: r for r in report.to_json()["rows"] if r["level"] == level and r["quality"] == quality}


def rows_by_metric(found, level):
    """Rows of one level, by metric."""
    return {row["metric"]: row for row in found["rows"] if row["level"] == level}


def scores_file(tmp_path, columns, rows=None, name="mine.csv"):
    """A file of scores: name → function of the row."""
    rows = rows or rated_rows()
    lines = [",".join([row["id"], *(f"{column(row)}" for column in columns.values())]) for row in rows]
    path = tmp_path / name
    path.write_text("\n".join([",".join(["id", *columns]), *lines]))
    return str(path)


def truth(row):
    """What people think of a row, on the average."""
    return float(np.mean(row["ratings"]["overall"]))
