"""The Python side of the comparison: windows of code points, the hash embedder, and an exact search by cosine, all in this process.

Reads the work as JSON from standard input, and prints the same figures as baseline.ts. Takes NumPy where it is installed.
"""

import hashlib
import json
import math
import os
import struct
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None

OFFSET, PRIME, MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def windows(text, size, overlap):
    """As Wesichain's TextSplitter: from each step on, as many code points as fit, up to the end of the text."""
    points, start = len(text), 0
    while True:
        end = min(points, start + size)
        if text[start:end].strip():
            yield text[start:end]
        if end == points:
            return
        start += size - overlap


def embed(text, dimensions):
    """FNV-1a of 64 bits for each dimension, whose index is mixed into the offset."""
    if np is not None:
        hashes = np.uint64(OFFSET) ^ np.arange(dimensions, dtype=np.uint64)
        prime = np.uint64(PRIME)
        for byte in text.encode():
            hashes = (hashes ^ np.uint64(byte)) * prime
        return ((hashes % np.uint64(10_000)) / 10_000).astype(np.float32)
    values, data = [], text.encode()
    for index in range(dimensions):
        hashed = OFFSET ^ index
        for byte in data:
            hashed = ((hashed ^ byte) * PRIME) & MASK
        values.append(struct.unpack("<f", struct.pack("<f", hashed % 10_000 / 10_000))[0])
    return values


class Index:
    """Unit vectors, and the best of their products with a query."""

    def __init__(self, vectors):
        if np is None:
            self.rows = [unit(vector) for vector in vectors]
        else:
            matrix = np.stack(vectors)
            self.rows = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def query(self, vector, top_k):
        if np is None:
            asked = unit(vector)
            scores = [sum(a * b for a, b in zip(asked, row)) for row in self.rows]
            best = sorted(range(len(scores)), key=lambda i: -scores[i])[:top_k]
        else:
            scores = self.rows @ (vector / np.linalg.norm(vector))
            best = np.argsort(-scores, kind="stable")[:top_k]
        return [[int(i), float(scores[i])] for i in best]


def unit(vector):
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]


def resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def packed(vector):
    return vector.tobytes() if np is not None else struct.pack(f"<{len(vector)}f", *vector)


def main():
    work = json.load(sys.stdin)
    dimensions, top_k = work["dimensions"], work["topK"]
    before, started, busy = resident(), time.perf_counter(), time.process_time()
    chunks = [piece for text in work["texts"] for piece in windows(text, work["size"], work["overlap"])]
    embedding = time.perf_counter()
    vectors = [embed(chunk, dimensions) for chunk in chunks]
    embedding = time.perf_counter() - embedding
    index = Index(vectors)
    indexing, indexing_busy = time.perf_counter() - started, time.process_time() - busy
    after = resident()
    times, hits = [], []
    for query in work["queries"]:
        started = time.perf_counter()
        hits.append(index.query(embed(query, dimensions), top_k))
        times.append((time.perf_counter() - started) * 1000)
    digest = hashlib.sha256()
    for vector in vectors:
        digest.update(packed(vector))
    print(
        json.dumps(
            {
                "by": f"Python {sys.version.split()[0]}" + (f", NumPy {np.__version__}" if np is not None else ""),
                "chunks": len(chunks),
                "texts": hashlib.sha256("\0".join(chunks).encode()).hexdigest(),
                "vectors": digest.hexdigest(),
                "hits": hits,
                "ms": {
                    "embedding": embedding * 1000,
                    "indexing": indexing * 1000,
                    "processor": indexing_busy * 1000,
                    "query": sorted(times)[len(times) // 2],
                },
                "memory": {"before": before, "after": after},
            }
        )
    )


main()
