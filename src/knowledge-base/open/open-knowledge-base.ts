import { dirname, resolve } from "node:path";
import { createLateEventStore } from "../../stores/sqlite/late-event-store.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { checkReadLimits } from "../../readers/read-limits.ts";
import {
  type AssembleOptions,
  assembleKnowledgeBase,
  assembleOptions,
  checkEventsOption,
  openMemory,
  storeChoices,
  takeStore,
} from "../assemble.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import type { ChosenModels, ModelChoices } from "../../models/choose-models.ts";
import { checkLocation, eventFile } from "../../stores/sqlite/knowledge-base-folder.ts";
import { type InputOptions, openInputs } from "./open-inputs.ts";
import { openStoreInFolder } from "./open-store-in-folder.ts";
import { createReaders } from "../../readers/create-readers.ts";
import { checkReadInWorker, startReaders } from "../../readers/start-readers.ts";
import { languageAnalyzer } from "../../text/languages/snowball/language-analyzer.ts";
import { toUri } from "../../ingest/to-uri.ts";

/** What can be chosen when a knowledge base is opened on Node. */
export interface OpenOptions extends Omit<AssembleOptions, keyof ModelChoices>, ModelChoices, InputOptions {
  /** Make it when it is not there. Default true. */
  readonly create?: boolean;
  /**
   * Whether files are read in a process of their own, which is stopped when one takes too long or too much (`limits`). Default `"auto"`: what is
   * large or unpacks, where such a process can be started; `true`: every file, else an error; `false`: none. Your own `readers` stay in this process.
   */
  readonly readInWorker?: boolean | "auto";
}

/**
 * Opens a knowledge base: a folder is durable (made when it is not there), nothing at all is memory, of which `snapshots` can be kept; `store` is a store that is open already.
 *
 * **Shape** documents' uris are relative to the folder that holds the knowledge base.
 * **Errors** `not-found` with `create: false`; `unsupported-runtime` on a Node whose SQLite can lose data; `store-corrupt`, `store-busy`;
 * `configuration-missing` and `dependency-missing` for a model by name.
 * **Cost** opening reads the list of segments, not their contents.
 */
export async function openKnowledgeBase(options: OpenOptions): Promise<KnowledgeBase>;
export async function openKnowledgeBase(location?: string, options?: OpenOptions): Promise<KnowledgeBase>;
export async function openKnowledgeBase(
  first?: string | OpenOptions,
  second: OpenOptions = {},
): Promise<KnowledgeBase> {
  const [location, options] = typeof first === "object" ? [undefined, first] : [first, second];
  checkOptions("openKnowledgeBase", options, [...assembleOptions, ...nodeOptions]);
  const { readInWorker = "auto", ...rest } = options;
  checkReadLimits(options.limits);
  checkEventsOption(options.events);
  checkReadInWorker(readInWorker);
  const analyzer = options.analyzer ?? languageAnalyzer;
  const chosen: AssembleOptions = {
    // Models that are named are loaded before anything is opened.
    ...(rest as Omit<typeof rest, keyof ModelChoices>),
    analyzer,
    ...(await chooseModels(options)),
  };
  const folder = location === undefined ? undefined : resolve(checkLocation(location));
  const base = folder === undefined ? process.cwd() : dirname(folder);
  const kept = { ...options, analyzer };
  const store =
    takeStore(options) ??
    (folder === undefined
      ? await openMemory(kept)
      : await openStoreInFolder(folder, storeChoices(kept), options.create));

  const reading = startReaders(options.readers ?? [], readInWorker, createReaders());
  return assembleKnowledgeBase(store, chosen, {
    readers: reading.readers,
    closeReaders: () => reading.close(),
    ...(folder !== undefined &&
      options.store === undefined && {
        keepsEvents: true,
        openEvents: (retention) => createLateEventStore(eventFile(folder), retention),
      }),
    openSource: (inputs, rules) => openInputs(inputs, { base, folder, options, rules }),
    resolveUri: toUri(base),
  });
}

const modelChoices = [
  "model",
  "judge",
  "embeddingModel",
  "formerEmbeddingModels",
  "reranker",
] as const satisfies readonly (keyof ModelChoices)[];

/** What providers and the AI SDK want is not loaded where nobody chose a model. */
async function chooseModels(options: ModelChoices): Promise<ChosenModels> {
  if (modelChoices.every((name) => options[name] === undefined || isEmpty(options[name]))) return {};
  return (await import("../../models/choose-models.ts")).chooseModels(options);
}

const isEmpty = (choice: unknown): boolean => Array.isArray(choice) && choice.length === 0;

const nodeOptions = ["create", "maxFileBytes", "readInWorker", "allowAddress"] as const;
