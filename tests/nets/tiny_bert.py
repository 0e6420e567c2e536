"""A BERT with random weights, written as a sentence-transformers folder by Hugging Face's own code."""

import json

import pytest

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"abcdefghijklmnopqrstuvwxyz",
    *(f"##{c}" for c in "abcdefghijklmnopqrst"),
    "tea",
]


def tiny_folder(path, *, pooling="mean", unit=True, **config):
    """Two layers of width 48; weights far from 0, so that a wrong turn shows."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    torch.manual_seed(7)
    sizes = {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4}
    made = transformers.BertConfig(
        **{"vocab_size": len(WORDS), "max_position_embeddings": 40, "initializer_range": 0.4, **sizes, **config}
    )
    transformers.BertModel(made).save_pretrained(path)
    tokeniser = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokeniser.normalizer = normalizers.BertNormalizer()
    tokeniser.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokeniser.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokeniser.enable_padding(length=20)  # as published folders have it; ours must not heed it
    tokeniser.save(str(path / "tokenizer.json"))
    kinds = {"": "Transformer", "1_Pooling": "Pooling", **({"2_Normalize": "Normalize"} if unit else {})}
    modules = [{"idx": i, "path": p, "type": f"sentence_transformers.models.{k}"} for i, (p, k) in enumerate(kinds.items())]
    (path / "modules.json").write_text(json.dumps(modules))
    (path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 24, "do_lower_case": False}))
    (path / "1_Pooling").mkdir()
    modes = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}
    said = {mode: name == pooling for name, mode in modes.items()}
    (path / "1_Pooling" / "config.json").write_text(json.dumps(said))
    return path
