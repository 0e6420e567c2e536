"""Which words carry no content of their own (English), and which tokens are punctuation."""

import unicodedata

STOPWORDS = frozenset(
    """
    a an the this that these those some any each every either neither no none both all such same other another
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves one who whom whose which what
    am is are was were be been being have has had having do does did doing can could shall should will would may might must
    and or but nor so yet if then else than because as while although though unless until when where why how whether
    of in on at by for with about against between into through during before after above below to from up down out off
    over under again further once here there not only own too very just now also
    i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've we'll we'd
    they're they've they'll they'd that's there's here's what's who's where's how's let's
    don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't couldn't won't wouldn't shouldn't mustn't
    n't 's 're 've 'll 'd 'm im ive dont
    """.split()
)


def is_stopword(word: str) -> bool:
    """Whether a word is on the list, in any case and with either apostrophe."""
    return word.lower().replace("’", "'") in STOPWORDS


def is_punctuation(word: str) -> bool:
    """Whether a token is made of punctuation and ASCII symbols alone; emoji are not punctuation."""
    return all(unicodedata.category(c)[0] == "P" or (c.isascii() and not c.isalnum()) for c in word)
