import { type Embedding, kindOf, type SparseVector, type Vector } from "../../contracts/embedding.ts";
import { sha256 } from "../../runtime/hash.ts";

/** How numbers are written: doubles for a plain list, else as they are. The first byte of each row of numbers. */
const forms = { list: 0, float32: 1, int8: 2, uint32: 3 } as const;
type Form = (typeof forms)[keyof typeof forms];
type Numbers = Vector | Uint32Array;

/** In front: what the rest hashes to, cut to so many bytes. A cache that others write to may be damaged, and a number that changed would not be seen. */
const sumBytes = 8;
const kinds = ["dense", "sparse", "hybrid"] as const;
const version = 1;

/** An embedding as bytes, exactly: a list of doubles comes back as one, `Float32Array` and `Int8Array` as what they are. */
export function encodeEmbedding(embedding: Embedding): Uint8Array {
  const rows = rowsOf(embedding).map(encodeNumbers);
  const body = new Uint8Array(2 + rows.reduce((sum, row) => sum + row.length, 0));
  body[0] = version;
  body[1] = kinds.indexOf(kindOf(embedding));
  let at = 2;
  for (const row of rows) {
    body.set(row, at);
    at += row.length;
  }
  const bytes = new Uint8Array(sumBytes + body.length);
  bytes.set(checksum(body));
  bytes.set(body, sumBytes);
  return bytes;
}

/** **Shape** `undefined` for bytes that {@link encodeEmbedding} did not make, or that are not as it made them. */
export function decodeEmbedding(bytes: Uint8Array): Embedding | undefined {
  const body = bytes.subarray(sumBytes);
  const kind = kinds[body[1] ?? -1];
  if (body[0] !== version || kind === undefined) return undefined;
  if (checksum(body).some((byte, i) => byte !== bytes[i])) return undefined;
  const rows = decodeRows(body);
  const sparse = (from: number): SparseVector =>
    ({ indices: rows[from], values: rows[from + 1] }) as { indices: number[]; values: number[] };
  if (kind === "dense") return rows[0] as Vector;
  return kind === "sparse" ? sparse(0) : { dense: rows[0] as Vector, sparse: sparse(1) };
}

function rowsOf(embedding: Embedding): readonly Numbers[] {
  if ("dense" in embedding) return [embedding.dense, ...rowsOf(embedding.sparse)];
  return "indices" in embedding ? [embedding.indices, embedding.values] : [embedding];
}

function formOf(numbers: Numbers): Form {
  if (numbers instanceof Float32Array) return forms.float32;
  if (numbers instanceof Int8Array) return forms.int8;
  return numbers instanceof Uint32Array ? forms.uint32 : forms.list;
}

/** Form, count, numbers; little-endian, whatever the machine. */
function encodeNumbers(numbers: Numbers): Uint8Array {
  const form = formOf(numbers);
  const bytes = new Uint8Array(5 + numbers.length * width[form]);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, form);
  view.setUint32(1, numbers.length, true);
  numbers.forEach((value, i) => {
    const at = 5 + i * width[form];
    if (form === forms.list) view.setFloat64(at, value, true);
    else if (form === forms.float32) view.setFloat32(at, value, true);
    else if (form === forms.int8) view.setInt8(at, value);
    else view.setUint32(at, value, true);
  });
  return bytes;
}

const width: Readonly<Record<Form, number>> = { 0: 8, 1: 4, 2: 1, 3: 4 };

function decodeRows(body: Uint8Array): readonly Numbers[] {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const rows: Numbers[] = [];
  for (let at = 2; at < body.length;) {
    const form = view.getUint8(at) as Form;
    const count = view.getUint32(at + 1, true);
    const first = at + 5;
    const list = Array.from({ length: count }, (_, i) => {
      const place = first + i * width[form];
      if (form === forms.list) return view.getFloat64(place, true);
      if (form === forms.float32) return view.getFloat32(place, true);
      return form === forms.int8 ? view.getInt8(place) : view.getUint32(place, true);
    });
    rows.push(
      form === forms.list
        ? list
        : form === forms.float32
          ? Float32Array.from(list)
          : form === forms.int8
            ? Int8Array.from(list)
            : Uint32Array.from(list),
    );
    at = first + count * width[form];
  }
  return rows;
}

function checksum(body: Uint8Array): Uint8Array {
  const pairs = sha256(body).match(/../gu) ?? [];
  return Uint8Array.from(pairs.slice(0, sumBytes), (pair) => Number.parseInt(pair, 16));
}
