import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A part of a protocol buffer: a field's number and what stands in it. **Source** Protocol Buffers, "Encoding". */
function field(number: number, value: number | string | Uint8Array): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

/** **Source** onnx.proto: `TensorProto.DataType`. */
const types = { float: 1, int64: 7 } as const;

function tensor(name: string, type: keyof typeof types, dims: readonly number[], values: readonly number[]): Buffer {
  const raw =
    type === "float"
      ? Buffer.from(Float32Array.from(values).buffer)
      : Buffer.from(BigInt64Array.from(values, BigInt).buffer);
  return message(...dims.map((dim) => field(1, dim)), field(2, types[type]), field(8, name), field(9, raw));
}

function value(name: string, type: keyof typeof types, dims: readonly (string | number)[]): Buffer {
  const shape = dims.map((dim) => field(1, typeof dim === "number" ? field(1, dim) : field(2, dim)));
  return message(field(1, name), field(2, field(1, message(field(1, types[type]), field(2, message(...shape))))));
}

function node(
  operator: string,
  inputs: readonly string[],
  outputs: string | readonly string[],
  attributes: Readonly<Record<string, number>> = {},
): Buffer {
  return message(
    ...inputs.map((input) => field(1, input)),
    ...[outputs].flat().map((output) => field(2, output)),
    field(4, operator),
    ...Object.entries(attributes).map(([name, number]) =>
      field(5, message(field(1, name), field(3, number), field(20, 2))),
    ),
  );
}

function model(graph: readonly Buffer[]): Buffer {
  // IR version 8 with operator set 13.
  return message(
    field(1, 8),
    field(2, "tiny"),
    field(7, message(...graph)),
    field(8, message(field(1, ""), field(2, 13))),
  );
}

/** Words of a tiny model, each with its row. */
export interface TinyModel {
  readonly words: readonly string[];
  /** One for each word, all of one length. A word that is not known has the first. */
  readonly rows: readonly (readonly number[])[];
  /** Of one text. Default 16. */
  readonly maxTokens?: number;
  /** Word after each text. Default: none. */
  readonly ending?: string;
  /** Whether rows are rounded to 8 bits by the least and the greatest number of the whole batch, as in quantised models. */
  readonly quantised?: boolean;
}

/**
 * Writes a model that looks words up, into a folder in the form that the Hub has them: `config.json`, `tokenizer.json`, `tokenizer_config.json`, `onnx/model.onnx`.
 *
 * **Shape** an embedding model gives each token its row; a reranker adds up the first numbers of all tokens' rows, of query and text.
 */
export function writeTinyModel(folder: string, tiny: TinyModel, kind: "embedding" | "reranking"): void {
  const { words, rows, maxTokens = 16, ending, quantised = false } = tiny;
  const width = rows[0]?.length ?? 0;
  const ids = value("input_ids", "int64", ["batch", "tokens"]);
  const table = tensor("table", "float", [rows.length, width], rows.flat());
  const rounded = [
    field(1, node("Gather", ["table", "input_ids"], "found", { axis: 0 })),
    field(1, node("DynamicQuantizeLinear", ["found"], ["bytes", "scale", "zero"])),
    field(1, node("DequantizeLinear", ["bytes", "scale", "zero"], "last_hidden_state")),
  ];
  const embedding = [
    ...(quantised ? rounded : [field(1, node("Gather", ["table", "input_ids"], "last_hidden_state", { axis: 0 }))]),
    field(2, "look words up"),
    field(5, table),
    field(11, ids),
    field(12, value("last_hidden_state", "float", ["batch", "tokens", width])),
  ];
  const reranking = [
    field(1, node("Gather", ["table", "input_ids"], "found", { axis: 0 })),
    field(1, node("ReduceSum", ["found", "axes"], "logits", { keepdims: 0 })),
    field(2, "add words up"),
    field(
      5,
      tensor(
        "table",
        "float",
        [rows.length, 1],
        rows.map(([first = 0]) => first),
      ),
    ),
    field(5, tensor("axes", "int64", [1], [1])),
    field(11, ids),
    field(12, value("logits", "float", ["batch", 1])),
  ];
  mkdirSync(join(folder, "onnx"), { recursive: true });
  writeFileSync(join(folder, "onnx", "model.onnx"), model(kind === "embedding" ? embedding : reranking));
  const write = (name: string, content: object): void => writeFileSync(join(folder, name), JSON.stringify(content));
  // Read by the stand-in for the package.
  write("tiny.json", tiny);
  const architectures = [kind === "embedding" ? "BertModel" : "BertForSequenceClassification"];
  write("config.json", { model_type: "bert", architectures, hidden_size: width, vocab_size: words.length });
  write("tokenizer_config.json", {
    tokenizer_class: "PreTrainedTokenizerFast",
    model_max_length: maxTokens,
    unk_token: words[0],
  });
  write("tokenizer.json", {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [
      { id: 0, content: words[0], special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
    ],
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor:
      ending === undefined
        ? null
        : {
            type: "TemplateProcessing",
            single: [{ Sequence: { id: "A", type_id: 0 } }, { SpecialToken: { id: ending, type_id: 0 } }],
            pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
            special_tokens: { [ending]: { id: ending, ids: [words.indexOf(ending)], tokens: [ending] } },
          },
    decoder: null,
    model: { type: "WordLevel", vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: words[0] },
  });
}
