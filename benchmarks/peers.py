"""What other tools do with the same pairs; each function returns its item scores and is timed as a whole."""

import atexit
import os
import shutil
import subprocess
import tempfile
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path

WORDNET = ("/usr/share/wordnet", "/usr/share/wordnet/dict")


class Spaces:
    """rouge-score's tokeniser interface over the tokens that everybody gets."""

    def tokenize(self, text):
        return text.split()


SPACES = Spaces()


def coco_bleu(responses, references):
    from pycocoevalcap.bleu.bleu import Bleu

    return Bleu(4).compute_score(*_coco(responses, references), verbose=0)[1][3]


def coco_rouge(responses, references):
    from pycocoevalcap.rouge.rouge import Rouge

    return Rouge().compute_score(*_coco(responses, references))[1]


def coco_cider(responses, references):
    from pycocoevalcap.cider.cider import Cider

    return Cider().compute_score(*_coco(responses, references))[1]


def nltk_bleu(split_responses, split_references):
    """Given tokens, not texts: its own splitting is not counted."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method1
    pairs = zip(split_responses, split_references, strict=True)
    return [sentence_bleu([reference], response, smoothing_function=smooth) for response, reference in pairs]


def sacrebleu(responses, references, tokenize):
    from sacrebleu.metrics.bleu import BLEU

    scorer = BLEU(tokenize=tokenize, effective_order=True)  # a new one each round: its memory of texts is per object
    pairs = zip(responses, references, strict=True)
    return [scorer.sentence_score(response, [reference]).score / 100 for response, reference in pairs]


def rouge_score_as_shipped(responses, references):
    return rouge_score(responses, references, tokenizer=None)


def rouge_score(responses, references, tokenizer=SPACES):
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], tokenizer=tokenizer)
    pairs = zip(responses, references, strict=True)
    return [scorer.score(reference, response)["rougeL"].fmeasure for response, reference in pairs]


def nltk_meteor(split_responses, split_references):
    from nltk.translate.meteor_score import meteor_score

    pairs = zip(split_responses, split_references, strict=True)
    return [meteor_score([reference], response, wordnet=nltk_wordnet()) for response, reference in pairs]


@cache
def nltk_wordnet():
    """NLTK's reader over a WordNet ``dict`` folder, or None."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    found = [path for path in (os.environ.get("WNHOME", ""), *WORDNET) if path and Path(path, "data.noun").exists()]
    if not found:
        return None
    folder = Path(tempfile.mkdtemp(prefix="wordnet-"))  # NLTK wants lexnames too, which Debian leaves out
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for file in (file for file in Path(found[0]).iterdir() if file.is_file()):
        shutil.copy(file, folder)
    if not (folder / "lexnames").exists():
        (folder / "lexnames").write_text("".join(f"{n:02d}\tlex.{n}\t1\n" for n in range(45)))
    nltk.data.path.append(str(folder))
    warnings.filterwarnings("ignore", message="The multilingual functions")
    reader = type("Reader", (WordNetCorpusReader,), {"map_wn": lambda self, version="": None})  # no map to other versions
    return reader(str(folder), None)


def meteor_jar():
    """The METEOR 1.5 jar inside pycocoevalcap, if Java is here too."""
    package = find_spec("pycocoevalcap")
    folders = package.submodule_search_locations or () if package else ()
    jars = [jar for folder in folders if (jar := Path(folder, "meteor", "meteor-1.5.jar")).exists()]
    return jars[0] if jars and shutil.which("java") else None


def jar_meteor(responses, references):
    """The jar over two files, as its manual says."""
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name, "responses"), Path(name, "references")]
        for file, texts in zip(files, (responses, references), strict=True):
            file.write_text("\n".join(texts) + "\n", encoding="utf-8")
        command = ["java", "-Xmx2G", "-jar", str(meteor_jar()), *map(str, files), "-l", "en", "-norm"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(line.split("\t")[1]) for line in output.splitlines() if line.startswith("Segment ")]


def _coco(responses, references):
    return {i: [text] for i, text in enumerate(references)}, {i: [text] for i, text in enumerate(responses)}
