"""Qdrant's core behind a loopback server with the HTTP shapes of Qdrant's REST interface: a stand-in for tests.

python qdrant-edge-server.py PORT FOLDER, with the package qdrant-edge-py.
Shapes: https://api.qdrant.tech, read in November 2026. The routes are those that src/stores/qdrant calls, and no others.
"""

import json, shutil, sys, threading, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
import qdrant_edge as q

folder, shards, lock = Path(sys.argv[2]), {}, threading.RLock()


def read_filter(given):
    if given is None:
        return None
    parts = {name: [read_condition(one) for one in given[name]] for name in ("must", "should", "must_not") if name in given}
    return q.Filter(**parts)


def read_condition(given):
    if "has_id" in given:
        return q.HasIdCondition(point_ids=set(given["has_id"]))
    if "key" not in given:
        return read_filter(given)
    if "match" in given:
        return q.FieldCondition(key=given["key"], match=q.MatchValue(value=given["match"]["value"]))
    return q.FieldCondition(key=given["key"], range=q.RangeFloat(**given["range"]))


def read_sparse(given):
    return q.SparseVector(indices=given["indices"], values=given["values"]) if isinstance(given, dict) else given


def read_vector(given):
    return {name: read_sparse(one) for name, one in given.items()} if isinstance(given, dict) else given


def write_vector(kept):
    if isinstance(kept, dict):
        return {name: write_vector(one) for name, one in kept.items()}
    return {"indices": kept.indices, "values": kept.values} if isinstance(kept, q.SparseVector) else kept


def read_query(given):
    return q.Query.Nearest(read_sparse(given["query"]), **({"using": given["using"]} if "using" in given else {}))


def answer(method, path, body):
    parts = path.split("?")[0].strip("/").split("/")
    if parts == ["collections"]:
        return 200, {"collections": [{"name": name} for name in shards]}
    name, rest = parts[1], parts[2:]
    if not rest and method == "PUT":
        if name in shards:
            return 409, f"Collection `{name}` already exists!"
        vectors = body["vectors"]
        place = folder / str(uuid.uuid4())
        place.mkdir(parents=True)
        params = q.EdgeVectorParams(size=vectors["size"], distance=getattr(q.Distance, vectors["distance"]))
        # The modifier of a sparse vector is always idf here.
        sparse = {key: q.EdgeSparseVectorParams(modifier=q.Modifier.Idf) for key in body.get("sparse_vectors", {})}
        config = q.EdgeConfig(vectors=params, sparse_vectors=sparse)
        kept = {key: body[key] for key in ("vectors", "sparse_vectors") if key in body}
        shards[name] = (q.EdgeShard.create(str(place), config), kept, place)
        return 200, True
    if name not in shards:
        return 404, f"Not found: Collection `{name}` doesn't exist!"
    shard, kept, place = shards[name]
    if not rest and method == "GET":
        return 200, {"status": "green", "config": {"params": kept}}
    if not rest and method == "DELETE":
        del shards[name]
        shard.close()
        shutil.rmtree(place, ignore_errors=True)
        return 200, True
    if rest == ["index"]:
        shard.update(q.UpdateOperation.create_field_index(body["field_name"], q.PayloadSchemaType.Keyword))
        return 200, {"status": "completed"}
    if rest == ["points"] and method == "POST":
        found = shard.retrieve([uuid.UUID(one) for one in body["ids"]], with_payload=True, with_vector=body["with_vector"])
        keys = body["with_payload"] or []
        return 200, [
            {
                "id": str(one.id),
                "payload": {key: one.payload[key] for key in keys if key in one.payload},
                **({"vector": write_vector(one.vector)} if body["with_vector"] else {}),
            }
            for one in found
        ]
    if rest == ["points"]:
        points = [q.Point(uuid.UUID(one["id"]), read_vector(one["vector"]), one["payload"]) for one in body["points"]]
        shard.update(q.UpdateOperation.upsert_points(points))
        return 200, {"status": "completed"}
    if rest == ["points", "delete"]:
        shard.update(q.UpdateOperation.delete_points([uuid.UUID(one) for one in body["points"]]))
        return 200, {"status": "completed"}
    if rest == ["points", "count"]:
        return 200, {"count": shard.count(q.CountRequest(exact=True, filter=read_filter(body["filter"])))}
    if rest == ["points", "scroll"]:
        offset = uuid.UUID(body["offset"]) if "offset" in body else None
        request = q.ScrollRequest(offset=offset, limit=body["limit"], filter=read_filter(body["filter"]))
        found, following = shard.scroll(request)
        return 200, {"points": [{"id": str(one.id)} for one in found], "next_page_offset": following and str(following)}
    if rest == ["points", "query"]:
        if "prefetch" in body:
            parts = [q.Prefetch(limit=one["limit"], query=read_query(one), filter=read_filter(one.get("filter"))) for one in body["prefetch"]]
            # Qdrant's constant of rank fusion is 2.
            request = q.QueryRequest(limit=body["limit"], query=q.Fusion.Rrf(k=2), prefetches=parts, with_payload=True)
        else:
            request = q.QueryRequest(limit=body["limit"], query=read_query(body), filter=read_filter(body.get("filter")), with_payload=True)
        found = shard.query(request)
        return 200, {"points": [{"id": str(one.id), "score": one.score, "payload": {"ref": one.payload["ref"]}} for one in found]}
    return 404, "Not found"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do(self):
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        try:
            with lock:
                status, result = answer(self.command, self.path, body)
        except Exception as error:
            status, result = 400, f"Wrong input: {error}"
        shape = {"result": result, "status": "ok"} if status < 300 else {"status": {"error": result}}
        data = json.dumps({**shape, "time": 0.0}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = do

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
