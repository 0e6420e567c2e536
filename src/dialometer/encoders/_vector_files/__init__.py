"""Reading files of word vectors, for ``word2vec``, ``glove`` and ``fasttext``."""
