"""Language models with random weights, written as folders by Hugging Face's own code; their tokens are bytes."""

import pytest

TEMPLATE = (
    "{% for m in messages %}{% if m['role'] == 'system' and not loop.first %}{{ raise_exception('late system') }}{% endif %}"
    "{{ '<|' + m['role'] + '|>' + m['content'] + eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def byte_tokens(path, *, around="", template="", longest=None, **names):
    """A tokeniser of 256 bytes and a few special tokens; ``around`` is what it puts about a text."""
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    special = ["<pad>", "<s>", "</s>", "<|user|>", "<|assistant|>", "<|system|>"]
    signs = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE({sign: i for i, sign in enumerate(signs)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(special)
    if around:
        made.post_processor = processors.TemplateProcessing(around, special_tokens=[(s, i) for i, s in enumerate(special)])
    names = {"eos_token": "</s>", "pad_token": "<pad>", **names}
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, **({"model_max_length": longest} if longest else {}), **names
    )
    fast.chat_template = template or None
    fast.save_pretrained(path)
    return len(signs)


def gpt2(path, *, template="", positions=96, seed=3, **names):
    """A GPT-2 of two layers."""
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    size = byte_tokens(path, template=template, **names)
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=size, n_positions=positions, n_embd=32, n_layer=2, n_head=4, initializer_range=0.25,
        bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    return path


def t5(path):
    """A T5 of two layers; its tokeniser ends a text with </s>."""
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    size = byte_tokens(path, around="$A </s>", longest=64)
    torch.manual_seed(5)
    config = transformers.T5Config(
        vocab_size=size, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, initializer_factor=2.0,
        decoder_start_token_id=0, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(path)
    return path


def bart(path):
    """A BART of one layer; its tokeniser puts <s> and </s> about a text."""
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    size = byte_tokens(path, around="<s> $A </s>", bos_token="<s>")
    torch.manual_seed(6)
    config = transformers.BartConfig(
        vocab_size=size, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=64, init_std=0.25,
        bos_token_id=1, eos_token_id=2, pad_token_id=0, decoder_start_token_id=2, forced_bos_token_id=1, forced_eos_token_id=None,
    )  # fmt: skip
    transformers.BartForConditionalGeneration(config).save_pretrained(path)
    return path


MAKERS = {"gpt2": gpt2, "t5": t5, "bart": bart}
