"""The menu: name → ``module:attribute``, one line each. Reading it imports nothing else."""

CATALOG: dict[str, dict[str, str]] = {
    "metric": {
        "amfm": "dialometer.metrics.amfm:Amfm",
        "bertscore": "dialometer.metrics.bertscore:Bertscore",
        "bleu": "dialometer.metrics.bleu:Bleu",
        "cider": "dialometer.metrics.cider:Cider",
        "distinct": "dialometer.metrics.distinct:Distinct",
        "embedding": "dialometer.metrics.embedding:Embedding",
        "length": "dialometer.metrics.length:Length",
        "meteor": "dialometer.metrics.meteor:Meteor",
        "rouge": "dialometer.metrics.rouge:Rouge",
        "sentence": "dialometer.metrics.sentence:Sentence",
    },
    "vector": {
        "fasttext": "dialometer.encoders.fasttext:Fasttext",
        "glove": "dialometer.encoders.glove:Glove",
        "word2vec": "dialometer.encoders.word2vec:Word2vec",
        "wordllama": "dialometer.encoders.wordllama:Wordllama",
    },
    "encoder": {
        "average": "dialometer.encoders.average:Average",
        "infersent": "dialometer.encoders.infersent:Infersent",
        "lsi": "dialometer.encoders.lsi:Lsi",
        "minilm": "dialometer.encoders.minilm:Minilm",
        "skipthought": "dialometer.encoders.skipthought:Skipthought",
        "tweet2vec": "dialometer.encoders.tweet2vec:Tweet2vec",
    },
    "likelihood": {
        "ngram": "dialometer.text.ngram_lm:Ngram",
    },
    "emotion": {
        "deepmoji": "dialometer.encoders.deepmoji:Deepmoji",
        "prompted": "dialometer.encoders.prompted:Prompted",
    },
    "tokeniser": {
        "13a": "dialometer.text.thirteen_a:ThirteenA",
        "meteor": "dialometer.text.meteor_norm:MeteorNorm",
        "ptb": "dialometer.text.ptb:Ptb",
        "rouge": "dialometer.text.rouge_words:RougeWords",
        "space": "dialometer.text.space:Space",
        "whitespace": "dialometer.text.whitespace:Whitespace",
        "words": "dialometer.text.unicode_words:UnicodeWords",
    },
    "engine": {
        "processes": "dialometer.engine.processes:Processes",
        "serial": "dialometer.engine.serial:Serial",
    },
    "format": {
        "chat": "dialometer.data.chat:Chat",
        "csv": "dialometer.data.csv:Csv",
        "dstc10": "dialometer.data.dstc10:Dstc10",
        "jsonl": "dialometer.data.jsonl:Jsonl",
        "parallel": "dialometer.data.parallel:Parallel",
        "parquet": "dialometer.data.parquet:Parquet",
        "tsv": "dialometer.data.csv:Tsv",
    },
    "builder": {
        "cornell": "dialometer.data.cornell:Cornell",
        "dailydialog": "dialometer.data.dailydialog:DailyDialog",
        "reddit": "dialometer.data.reddit:Reddit",
        "tweets": "dialometer.data.tweets:Tweets",
        "ubuntu": "dialometer.data.ubuntu:Ubuntu",
    },
}

ENTRY_POINTS = {kind: f"dialometer.{kind}s" for kind in CATALOG}
