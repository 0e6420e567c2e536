"""METEOR without Java: word lists, stems, synonyms, paraphrases, and alignments by kernels."""
