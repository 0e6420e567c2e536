"""Lines of phrases into a growing trie: words and nodes are numbered in the order of first appearance.

Both are found by open addressing with linear probing in a table whose size is a power of two. The caller makes room for as many
new words and nodes as the text has bytes (``text.phrase_trie``).
"""

from dialometer.kernels.jit import helper, kernel

LINE, WORDS, NODES, LETTERS = 0, 1, 2, 3  # places in the state: line of the entry (0–2), counts so far, bytes of spellings
SHIFT = 1 << 32  # a node's key is parent · SHIFT + word


@helper
def word_slot(text, begin, end, word_slots, word_starts, letters):
    """The slot of a word in the table: where it is, or the empty one where it belongs."""
    code = 2166136
    for i in range(begin, end):
        code = ((code ^ text[i]) * 16777619) & 0x7FFFFFFF
    last = len(word_slots) - 1
    slot = (code ^ (code >> 15)) & last
    size = end - begin
    searching = True
    while searching:
        number = word_slots[slot]
        if number == 0:
            searching = False
        else:
            start = word_starts[number - 1]
            same = word_starts[number] - start == size + 1
            i = 0
            while same and i < size:
                same = letters[start + i] == text[begin + i]
                i += 1
            if same:
                searching = False
            else:
                slot = (slot + 1) & last
    return slot


@helper
def node_slot(key, node_slots):
    """The place of a node and its key in the table: where they are, or the empty one where they belong."""
    last = len(node_slots) // 2 - 1
    code = (key // SHIFT) * 625341585 + (key % SHIFT) * 10368889
    slot = (code ^ (code >> 23)) & last
    while node_slots[2 * slot] != 0 and node_slots[2 * slot + 1] != key:
        slot = (slot + 1) & last
    return 2 * slot


@helper
def same_line(text, first, second, size):
    """Whether the bytes from one place on are those from another, as far as the text goes."""
    same = second + size <= len(text)
    i = 0
    while same and i < size:
        same = text[first + i] == text[second + i]
        i += 1
    return same


@kernel("int64(uint8[::1], int64[::1], int32[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int32[::1], int32[::1])")
def add_lines(
    text, out_state, out_word_slots, out_word_starts, out_letters, out_node_slots, out_node_keys, out_depths, out_nodes
):
    """Add the phrases of whole lines, two of every three; the node of each phrase is written, and their number returned."""
    line, words, nodes, used = out_state[LINE], out_state[WORDS], out_state[NODES], out_state[LETTERS]
    phrases = 0
    node = 0
    depth = 0
    begin = 0
    source = 0  # the source before this one: most entries have the same
    source_size = 0
    at = 0
    while at < len(text):
        byte = text[at]
        if line == 0:  # the probability
            if byte == 10:
                line = 1
                begin = at + 1
                if source_size > 0 and same_line(text, source, begin, source_size):
                    out_nodes[phrases] = out_nodes[phrases - 2]
                    phrases += 1
                    line = 2
                    source = begin
                    begin += source_size
                    at = begin - 1
                else:
                    source = begin
        elif byte == 32 or 9 <= byte <= 13:
            if at > begin:
                slot = word_slot(text, begin, at, out_word_slots, out_word_starts, out_letters)
                word = out_word_slots[slot] - 1
                if word < 0:
                    word = words
                    words += 1
                    out_word_slots[slot] = words
                    for i in range(begin, at):
                        out_letters[used] = text[i]
                        used += 1
                    out_letters[used] = 10
                    used += 1
                    out_word_starts[words] = used
                key = node * SHIFT + word
                depth += 1
                slot = node_slot(key, out_node_slots)
                node = out_node_slots[slot] * 1
                if node == 0:
                    nodes += 1
                    node = nodes
                    out_node_slots[slot] = node
                    out_node_slots[slot + 1] = key
                    out_node_keys[node] = key
                    out_depths[node] = depth
            begin = at + 1
            if byte == 10:
                out_nodes[phrases] = node
                phrases += 1
                node = 0
                depth = 0
                if line == 1:
                    source_size = begin - source
                line = (line + 1) % 3
        at += 1
    out_state[LINE] = line
    out_state[WORDS] = words
    out_state[NODES] = nodes
    out_state[LETTERS] = used
    return phrases


@kernel("int64(int64[::1], int64, int64[::1])")
def refill_nodes(node_keys, nodes, out_node_slots):
    """Put all nodes into an empty, larger table."""
    for node in range(1, nodes + 1):
        slot = node_slot(node_keys[node], out_node_slots)
        out_node_slots[slot] = node
        out_node_slots[slot + 1] = node_keys[node]
    return nodes


@kernel("int64(uint8[::1], int64[::1], int64, int32[::1])")
def refill_words(letters, word_starts, words, out_word_slots):
    """Put all words into an empty, larger table."""
    for word in range(words):
        slot = word_slot(letters, word_starts[word], word_starts[word + 1] - 1, out_word_slots, word_starts, letters)
        out_word_slots[slot] = word + 1
    return words
