# SPDX-License-Identifier: GPL-2.0
"""What cprof(5) says and nobody would guess: for each sentence, the decoder as it is without it."""
import types

# What the manual says, then what decoder.py has for it, and what somebody else might have.
SENTENCES = (
    ("the records of _CHANNEL_LAST are in the RING already",
     "            elif kind == CHANNEL:\n",
     "            elif kind == 21:\n"
     "                parts.append((4, struct.unpack_from('<I', record, 4)[0], 0, record[8:]))\n"
     "            elif kind == CHANNEL:\n"),
    ("a RING may come before its _CHANNEL",
     "        for kind, channel, columns, payload in parts:\n            if kind == 4:\n",
     "        for n, (kind, channel, columns, payload) in enumerate(parts):\n"
     "            if kind == 4 and any(part[0] == 3 for part in parts[:n]):\n"),
    ("a later name of a counter replaces an earlier one",
     "self.names[struct.unpack_from(\"<IIQQQ\", payload)] = name.decode()",
     "self.names.setdefault(struct.unpack_from(\"<IIQQQ\", payload), name.decode())"),
    ("several COUNTERS add up",
     "        for payload in (part[3] for part in parts if part[0] == 2):\n",
     "        for payload in [part[3] for part in parts if part[0] == 2][-1:]:\n"),
    ("WAKER is that of the last WOKEN slice: not of the last slice",
     "        scaled = flags & (SCALED if kind == SLICE else 1)\n",
     "        else:\n            waker = 0\n"
     "        scaled = flags & (SCALED if kind == SLICE else 1)\n"),
    ("WAKER is that of the last WOKEN slice: not of the slot",
     "            waker = turned(WAKER) if stored & 8 else waker\n",
     "            ids['waker', place] = waker = turned(WAKER) if stored & 8 else ids['waker', place]\n"),
    ("a RING may be by column",
     "by_column(payload) if columns else as_in_ring(payload, len(counters))",
     "as_in_ring(payload, len(counters))"),
    ("TIME is less that of the record before",
     "        time = (time + take(TIME)) & M64\n",
     "        time = take(TIME)\n"),
    ("a slot not stored is the one that followed last on the slot before",
     "        slot = follows[slot % 1024]\n",
     "        slot = follows[slot % 1024] if stored & 1 else slot\n"),
    ("an id not stored is that of the slot",
     "            ids[place] = turned(ID)\n",
     "            ids = defaultdict(lambda one=turned(ID): one)\n"),
    ("a SLICE without LABEL has the one of its slot",
     "if stored & 2 or kind == SPAN else label_of[place]",
     "if stored & 2 or kind == SPAN else label"),
    ("ids are rotated by one bit",
     "turned = lambda column: (lambda v: v >> 1 | (v & 1) << 63)(take(column))",
     "turned = take"),
    ("the sign of a difference is its lowest bit",
     "-(stored_count >> 1) - 1 if stored_count & 1 else stored_count >> 1",
     "stored_count"),
    ("counts but the first are predicted from the first",
     "            source = count[0]\n",
     ""),
    ("a rate is shifted by 20",
     " * rate >> 20",
     " * rate >> 16"),
    ("what exceptions have more is shifted by the width",
     "self.take(more & 127) << width",
     "self.take(more & 127)"),
    ("a base is added to the numbers of its group",
     "[(n + base) & M64 for n in numbers]",
     "numbers"),
)


def without(source):
    """Each sentence, and a decoder that does not know it."""
    for sentence, known, unknown in SENTENCES:
        assert source.count(known) == 1, f"decoder.py has no longer what is there for: {sentence}"
        decoder = types.ModuleType("decoder")
        exec(source.replace(known, unknown), decoder.__dict__)
        yield sentence, decoder.Recording
