"""The Pearson row and the p-values of table 1 in D'Haro et al. 2019, from its 20 rows of scores and human means."""

import csv
from pathlib import Path

import numpy as np
import pytest

from dialometer.contracts.meta import MetaRequest
from dialometer.flows.meta.meta import meta
from dialometer.stats.correlation.correlate import correlate

TABLE = Path(__file__).resolve().parents[2] / "benchmarks" / "amfm_table1.csv"
PUBLISHED = {  # correlation and p-value as printed beneath the table
    "bleu-4": (-0.5108, 0.0214),
    "meteor": (0.3628, 0.1159),
    "rouge-l": (0.1450, 0.5420),
    "cider": (-0.1827, 0.4408),
    "skip-thought": (-0.4563, 0.0432),
    "embedding-average": (0.7768, 0.0001),
    "vector-extrema": (0.2345, 0.3196),
    "greedy-matching": (0.4028, 0.0782),
    "am-fm": (0.8907, 1.41e-7),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The table as one file, and as two: human means, and scores."""
    folder = tmp_path_factory.mktemp("table1")
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))

    def write(name, columns):
        with (folder / name).open("w", newline="") as file:
            sheet = csv.DictWriter(file, ["system", *columns], extrasaction="ignore")
            sheet.writeheader()
            sheet.writerows(rows)
        return str(folder / name)

    return {
        "one": ((write("all.csv", [*PUBLISHED, "human"]),), ()),
        "two": ((write("human.csv", ["human"]),), (write("scores.csv", list(PUBLISHED)),)),
    }


@pytest.mark.parametrize("way", ["one", "two"])
def test_the_published_row_comes_back(files, way, tmp_path):
    inputs, scores = files[way]
    report = meta(MetaRequest(inputs, scores=scores, quality=("human",), resamples=100, output=str(tmp_path / "run")))
    rows = {row["metric"]: row for row in report.to_json()["rows"]}
    assert set(rows) == set(PUBLISHED)
    for name, (r, p) in PUBLISHED.items():
        assert rows[name]["n"] == 20
        assert rows[name]["level"] == "system"
        assert rows[name]["pearson"]["r"] == pytest.approx(r, abs=0.001)
        # The printed scores are rounded: ROUGE-L's move r by 0.0005, and with it p by 0.0014; all others are within 0.001.
        assert rows[name]["pearson"]["p"] == pytest.approx(p, abs=0.0015 if name == "rouge-l" else 0.001)
    assert rows["am-fm"]["pearson"]["p"] == pytest.approx(1.41e-7, rel=0.02)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_p_is_that_of_the_published_r(name):
    """Twenty points that correlate at exactly the printed r have the printed p."""
    r, p = PUBLISHED[name]
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 20))
    x = (x - x.mean()) / x.std()
    noise -= noise.mean() + (noise - noise.mean()) @ x / 20 * x
    y = r * x + np.sqrt(1 - r * r) * noise / noise.std()
    found = correlate(x, y, resamples=0)
    assert found.r == pytest.approx(r, abs=1e-12)
    assert found.p == pytest.approx(p, abs=0.00015)
