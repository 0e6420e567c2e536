"""DSTC6: our three vector scores of 20 systems beside the published columns, which nlg-eval made with glove.6B.300d.

python benchmarks/embedding_dstc6.py                                       the default vectors
python benchmarks/embedding_dstc6.py --vectors "glove(path=glove.6B.300d.txt)"   the same vectors: within 0.001?
"""

import argparse
import json

import numpy as np
from pairs import data_folder

from dialometer.core.registry import create
from dialometer.data import examples
from dialometer.text.corpus import Corpus

PUBLISHED = ("EmbeddingAverageCosineSimilairty", "VectorExtremaCosineSimilarity", "GreedyMatchingScore")
CLOSE = 1e-3


def main() -> None:
    """Corpus scores per system, their correlation with the published ones and the largest difference."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--vectors", nargs="+", default=["wordllama"], help="specs of word vectors")
    parser.add_argument("--tok", default="ptb", help="nlg-eval cuts as NLTK's word_tokenize does")
    parser.add_argument("--variant", default="nlg-eval")
    chosen = parser.parse_args()
    folder = data_folder() / "turns"
    published = json.loads((folder / "dstc6_t2_system_scores.json").read_text())["objective"]
    wanted = np.array([[scores[name] for name in PUBLISHED] for scores in published.values()])
    corpus = Corpus.build(examples(folder / "dstc6_t2.jsonl.gz"), contexts=False)
    rows_of = corpus.system_rows()
    print(f"DSTC6 track 2, {len(published)} systems, variant {chosen.variant}, tokens {chosen.tok}\n")
    print("| vectors | column | Pearson with the published | largest difference | within 0.001 | coverage |")
    print("|---|---|---|---|---|---|")
    for spec in chosen.vectors:
        metric = create("metric", f"embedding(variant={chosen.variant},vectors={spec},tok={chosen.tok})")
        rows = metric.measure(corpus)
        scores = np.array([metric.finish(rows[rows_of[system]].sum(0), level="corpus") for system in published])
        for column, name in enumerate(PUBLISHED):
            r = np.corrcoef(scores[:, column], wanted[:, column])[0, 1]
            apart = np.abs(scores[:, column] - wanted[:, column]).max()
            inside = "yes" if apart <= CLOSE else "no"
            print(f"| {spec} | {name} | {r:.4f} | {apart:.4f} | {inside} | {scores[:, 3].mean():.4f} |", flush=True)


if __name__ == "__main__":
    main()
