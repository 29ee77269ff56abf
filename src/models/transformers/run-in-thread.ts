import { Transfer } from "../../runtime/calls.ts";
import { serveThread } from "../../runtime/thread.ts";
import { IbidError } from "../../contracts/errors.ts";
import { importTransformers } from "./load-transformers.ts";
import { loadRunner, type ModelRunner, type RunnerSettings } from "./run-model.ts";

/** Program of the thread that runs one model: the runtime holds its thread until a text is done. */
let runner: ModelRunner | undefined;

function loaded(): ModelRunner {
  if (runner !== undefined) return runner;
  throw new IbidError("internal", "The thread was asked before it loaded a model.", { hint: "Call load first." });
}

serveThread({
  async load({ path, settings }: { readonly path: string; readonly settings: RunnerSettings }) {
    runner = await loadRunner(() => importTransformers(path), settings);
  },
  async embed(text: string) {
    const embedded = await loaded().embed(text);
    return new Transfer(embedded, [embedded.vector.buffer as ArrayBuffer]);
  },
  score: ({ query, text }: { readonly query: string; readonly text: string }) => loaded().score(query, text),
});
