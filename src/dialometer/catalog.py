"""The menu: name → ``module:attribute``, one line each. Reading it imports nothing else."""

CATALOG: dict[str, dict[str, str]] = {
    "metric": {
        "bleu": "dialometer.metrics.bleu:Bleu",
        "cider": "dialometer.metrics.cider:Cider",
        "distinct": "dialometer.metrics.distinct:Distinct",
        "length": "dialometer.metrics.length:Length",
        "meteor": "dialometer.metrics.meteor:Meteor",
        "rouge": "dialometer.metrics.rouge:Rouge",
    },
    "vector": {},
    "encoder": {},
    "likelihood": {},
    "emotion": {},
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
