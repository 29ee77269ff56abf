import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  loadTransformers,
  type NativeInputs,
  type NativeModel,
  type NativeTokenizer,
  type TransformersLibrary,
} from "../../src/models/transformers/load-transformers.ts";
import type { TinyModel } from "./tiny-onnx.ts";

/** Where `npm run test:onnx` has installed the package; without it the tests run over a stand-in that reads the same tiny models. */
export const transformersFolder = process.env["IBID_TRANSFORMERS"];

/** The package itself where it is installed, else the stand-in. */
export const openTransformers = (): Promise<TransformersLibrary> =>
  transformersFolder === undefined ? Promise.resolve(plainTransformers) : loadTransformers(transformersFolder);

/** What a tiny model was written from, for a stand-in that does not calculate with ONNX. */
export const tinyModels = new Map<string, TinyModel>();

const find = (folder: string): TinyModel => {
  const found = tinyModels.get(folder);
  if (found === undefined) throw new Error(`There is no tiny model at ${folder}.`);
  return found;
};

const plainTransformers: TransformersLibrary = {
  env: { cacheDir: null, localModelPath: null },
  AutoTokenizer: {
    async from_pretrained(folder) {
      const { words, maxTokens = 16 } = find(folder);
      readFileSync(join(folder, "tokenizer.json"));
      const read: NativeTokenizer = ([text = ""], { text_pair: [pair = ""] = [], truncation }) => {
        const said = `${text} ${pair}`.toLowerCase().match(/\S+/gu) ?? [];
        const ids = (truncation ? said.slice(0, maxTokens) : said).map((word) =>
          BigInt(Math.max(0, words.indexOf(word))),
        );
        return { input_ids: { dims: [1, ids.length], data: ids } };
      };
      return Object.assign(read, { model_max_length: maxTokens });
    },
  },
  AutoModel: {
    async from_pretrained(folder) {
      const { rows } = find(folder);
      const run: NativeModel = async (inputs) => {
        const found = rowsOf(inputs, rows);
        const last_hidden_state = {
          dims: [1, found.length, rows[0]?.length ?? 0],
          data: Float32Array.from(found.flat()),
        };
        return { last_hidden_state };
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
