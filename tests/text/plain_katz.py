"""Katz's model once more, by the book and with dictionaries: an oracle for ``text/ngram_lm/``.

Sentences are lists of tokens; n-grams are tuples of words; nothing is shared with the code under test.
"""

from collections import Counter, defaultdict
from math import exp, log

LEAST = 3e-6


class PlainKatz:
    """Explicit probabilities ``p`` by n-gram and back-off weights ``bow`` by context."""

    def __init__(self, sentences, order, gtmax=7, gtmin=2):
        self.order = order
        padded = [("<s>", *sentence, "</s>") for sentence in sentences if sentence]
        self.events = {word for sentence in padded for word in sentence} - {"<s>"} | {"<unk>"}
        self.p = {}
        for n in range(1, order + 1):
            counts = Counter(s[i : i + n] for s in padded for i in range(len(s) - n + 1) if s[i + n - 1] != "<s>")
            self._estimate(counts, gtmax, gtmin if n > 2 else 1)
        self.p["<unk>",] = self.p.get(("<unk>",), 0) + 1 - sum(p for gram, p in self.p.items() if len(gram) == 1)
        self.weigh()

    def _estimate(self, counts, gtmax, gtmin):
        seen, k = Counter(counts.values()), gtmax
        while k and not seen[k + 1]:
            k -= 1
        discount = defaultdict(lambda: 1.0)
        for r in range(1, k + 1) if seen[1] else ():
            common = (k + 1) * seen[k + 1] / seen[1]
            if seen[r] and (r + 1) * seen[r + 1] <= r * seen[r] and common != 1:
                d = ((r + 1) * seen[r + 1] / (r * seen[r]) - common) / (1 - common)
                discount[r] = d if LEAST < d <= 1 else 1.0
        after = defaultdict(list)
        for gram in sorted(counts):
            after[gram[:-1]].append(gram)
        for grams in after.values():
            mass = {gram: discount[counts[gram]] * counts[gram] for gram in grams if counts[gram] >= gtmin}
            total = sum(counts[gram] for gram in grams)
            while len(grams) < len(self.events) and sum(mass.values()) > (1 - LEAST) * total:
                total += 1
            self.p |= {gram: m / total for gram, m in mass.items()}

    def weigh(self):
        """bow(h) = (1 − Σ p(w|h)) / (1 − Σ p(w|h′)), short contexts first."""
        self.bow = {}
        after = defaultdict(list)
        for gram in self.p:
            after[gram[:-1]].append(gram)
        for context in sorted((c for c in after if c), key=len):
            below = 1 - sum(self.probability(gram[1:]) for gram in after[context])
            if below > 1e-12:
                self.bow[context] = (1 - sum(self.p[gram] for gram in after[context])) / below
            else:
                whole = sum(self.p[gram] for gram in after[context])
                self.p |= {gram: self.p[gram] / whole for gram in after[context]}

    def probability(self, gram):
        """p(last word | the words before it)."""
        if gram in self.p:
            return self.p[gram]
        return self.bow.get(gram[:-1], 1.0) * self.probability(gram[1:])

    def log_probability(self, sentence):
        """Σ ln p of a sentence and its end."""
        words = ["<s>", *(word if word in self.events else "<unk>" for word in sentence), "</s>"]
        return sum(log(self.probability(tuple(words[max(0, i - self.order + 1) : i + 1]))) for i in range(1, len(words)))

    def prune(self, threshold):
        """Stolcke's criterion, one n-gram after the other, decided with the whole model, longest n-grams first."""
        p, bow = dict(self.p), dict(self.bow)
        after = defaultdict(list)
        for gram in p:
            after[gram[:-1]].append(gram)
        for n in range(self.order, 1, -1):
            needed = {gram[:-1] for gram in self.p if len(gram) == n + 1}
            for gram in (g for g in p if len(g) == n and g not in needed):
                if exp(_loss(gram, p, bow.get(gram[:-1], 1.0), after[gram[:-1]])) - 1 < threshold:
                    del self.p[gram]
        self.weigh()


def _loss(gram, p, old, listed):
    """ΔH without an n-gram; ``listed`` are those of its context. Before pruning every n-gram's ending is listed too."""
    context, below = gram[:-1], p[gram[1:]]
    free = 1 - sum(p[g] for g in listed)
    new = (free + p[gram]) / (1 - sum(p[g[1:]] for g in listed) + below)
    history = 1.0
    for i in range(1, len(context) + 1):
        history *= p["</s>",] if context[:i] == ("<s>",) else p[context[:i]]
    return -history * (p[gram] * (log(below) + log(new) - log(p[gram])) + free * (log(new) - log(old)))
