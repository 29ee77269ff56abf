import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  findTransformers,
  importTransformers,
  type NativeInputs,
  type NativeModel,
  type NativeTokenizer,
  type TransformersLibrary,
} from "../../src/models/transformers/load-transformers.ts";
import type { TinyModel } from "./tiny-onnx.ts";

/** Folder in which `npm run test:onnx` has installed the package. Without it, the tests run over a stand-in that reads the same tiny models. */
export const transformersFolder = process.env["IBID_TRANSFORMERS"];

/** The package itself where it is installed, else the stand-in. */
export const openTransformers = (): Promise<TransformersLibrary> =>
  transformersFolder === undefined
    ? Promise.resolve(plainTransformers)
    : importTransformers(findTransformers(transformersFolder));

/** A project folder that has the package, or the stand-in under its name. */
export function projectWithTransformers(folder: string): string {
  if (transformersFolder !== undefined) return transformersFolder;
  const place = join(folder, "node_modules", "@huggingface", "transformers");
  mkdirSync(place, { recursive: true });
  writeFileSync(
    join(place, "package.json"),
    JSON.stringify({ name: "@huggingface/transformers", main: "index.mjs", type: "module" }),
  );
  writeFileSync(
    join(place, "index.mjs"),
    `import { plainTransformers } from ${JSON.stringify(import.meta.url)};
export const { env, AutoTokenizer, AutoModel, AutoModelForSequenceClassification } = plainTransformers;\n`,
  );
  return folder;
}

const find = (folder: string): TinyModel => JSON.parse(readFileSync(join(folder, "tiny.json"), "utf8")) as TinyModel;

/** A stand-in for the package that calculates without ONNX. */
export const plainTransformers: TransformersLibrary = {
  env: { cacheDir: null, localModelPath: null },
  AutoTokenizer: {
    async from_pretrained(folder) {
      const { words, maxTokens = 16, ending = "" } = find(folder);
      readFileSync(join(folder, "tokenizer.json"));
      const read: NativeTokenizer = (texts, { text_pair = [], truncation, max_length = maxTokens }) => {
        const rows = texts.map((text, at) => {
          const said = `${text} ${text_pair[at] ?? ""} ${ending}`.toLowerCase().match(/\S+/gu) ?? [];
          return (truncation ? said.slice(0, max_length) : said).map((word) =>
            BigInt(Math.max(0, words.indexOf(word))),
          );
        });
        const length = Math.max(...rows.map((row) => row.length));
        const padded = rows.flatMap((row) => [...row, ...Array<bigint>(length - row.length).fill(0n)]);
        return { input_ids: { dims: [rows.length, length], data: padded } };
      };
      return Object.assign(read, { model_max_length: maxTokens });
    },
  },
  AutoModel: {
    async from_pretrained(folder) {
      const { rows, quantised = false } = find(folder);
      const run: NativeModel = async (inputs) => {
        const found = rowsOf(inputs, rows).flat();
        const [texts = 1, tokens = 0] = inputs["input_ids"]?.dims ?? [];
        const data = Float32Array.from(quantised ? roundToBytes(found) : found);
        return { last_hidden_state: { dims: [texts, tokens, rows[0]?.length ?? 0], data } };
      };
      return run;
    },
  },
  AutoModelForSequenceClassification: {
    async from_pretrained(folder) {
      const { rows } = find(folder);
      const run: NativeModel = async (inputs) => {
        const sum = rowsOf(inputs, rows).reduce((total, [first = 0]) => total + first, 0);
        return { logits: { dims: [1, 1], data: Float32Array.of(sum) } };
      };
      return run;
    },
  },
};

function rowsOf(inputs: NativeInputs, rows: TinyModel["rows"]): readonly (readonly number[])[] {
  return Array.from(inputs["input_ids"]?.data ?? [], (id) => rows[Number(id)] ?? []);
}

/** **Source** ONNX, `DynamicQuantizeLinear` and `DequantizeLinear`. */
function roundToBytes(values: readonly number[]): readonly number[] {
  const [least, greatest] = [Math.min(0, ...values), Math.max(0, ...values)];
  const scale = (greatest - least) / 255;
  const zero = Math.round(-least / scale);
  return values.map((value) => (Math.min(255, Math.max(0, Math.round(value / scale) + zero)) - zero) * scale);
}
