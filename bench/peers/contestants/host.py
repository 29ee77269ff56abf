"""The process of one Python contestant; says and hears what host.ts does. Needs NumPy, and for FAISS Debian's python3-faiss."""

import json
import os
import sys
import time

import numpy as np


class NumPy:
    """A matrix, its product with the query, and the best of it."""

    def add(self, rows, dimensions):
        self.parts = getattr(self, "parts", []) + [rows]

    def finish(self):
        self.matrix = np.concatenate(self.parts) if len(self.parts) > 1 else self.parts[0]
        self.parts = []

    def query(self, vector, top_k):
        scores = self.matrix @ vector
        top_k = min(top_k, len(scores))
        best = np.argpartition(scores, -top_k)[-top_k:]
        return best[np.argsort(-scores[best], kind="stable")]


class FaissFlat:
    def __init__(self):
        import faiss

        faiss.omp_set_num_threads(1)
        self.faiss = faiss

    def add(self, rows, dimensions):
        if not hasattr(self, "index"):
            self.index = self.make(dimensions)
        self.index.add(rows)

    def make(self, dimensions):
        return self.faiss.IndexFlatIP(dimensions)

    def finish(self):
        pass

    def query(self, vector, top_k):
        return self.index.search(vector.reshape(1, -1), top_k)[1][0]


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def read_floats(path, start, count):
    return np.fromfile(path, dtype=np.float32, count=count, offset=start * 4)


def send(reply):
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def index(contestant, spec):
    before, seconds, busy, dimensions = resident(), 0.0, 0.0, spec["dimensions"]
    for start in range(0, spec["count"], spec["batchSize"]):
        count = min(spec["batchSize"], spec["count"] - start)
        rows = read_floats(spec["vectors"], start * dimensions, count * dimensions).reshape(count, dimensions)
        started, cpu = time.perf_counter(), time.process_time()
        contestant.add(rows, dimensions)
        seconds += time.perf_counter() - started
        busy += time.process_time() - cpu
        del rows
    started, cpu = time.perf_counter(), time.process_time()
    contestant.finish()
    seconds += time.perf_counter() - started
    busy += time.process_time() - cpu
    return {"ms": seconds * 1000, "cpuMs": busy * 1000, "before": before}


def answer(contestant, spec, queries, request):
    times, found = [], []
    cpu = time.process_time()
    for i in range(request["count"]):
        if i >= 1 and sum(times) >= request["budgetMs"]:
            break
        query = queries[(request["from"] + i) % len(queries)]
        started = time.perf_counter()
        ids = contestant.query(query, spec["topK"])
        times.append((time.perf_counter() - started) * 1000)
        found.append([str(each) for each in ids])
    return {"ms": times, "cpuMs": (time.process_time() - cpu) * 1000, "ids": found}


def main():
    contestant = {"numpy": NumPy, "faiss-flat": FaissFlat}[sys.argv[1]]()
    spec = json.loads(sys.stdin.readline())
    queries = np.fromfile(spec["queryVectors"], dtype=np.float32).reshape(-1, spec["dimensions"])
    send({"ready": True})
    replies = {
        "index": lambda request: index(contestant, spec),
        "query": lambda request: answer(contestant, spec, queries, request),
        "memory": lambda request: {"bytes": resident()},
        "reopen": lambda request: {"ms": None},
        "close": lambda request: {"closed": True},
    }
    for line in sys.stdin:
        request = json.loads(line)
        send(replies[request["op"]](request))
        if request["op"] == "close":
            break


main()
