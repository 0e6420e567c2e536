"""Small rated files for tests: responses of several systems to shared contexts, with named raters."""

import json

import numpy as np

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
