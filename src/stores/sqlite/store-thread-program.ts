import { IbidError } from "../../contracts/errors.ts";
import { encodeTerms } from "../../engine/segments/chunk-terms.ts";
import { latentSemanticModel } from "../../engine/latent/latent-semantic-model.ts";
import { Transfer } from "../../runtime/calls.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { serveThread } from "../../runtime/thread.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { removeChunks, restoreChunks, vacuumChunks } from "../segments/delete-chunks.ts";
import type { Errands } from "../segments/errands.ts";
import { rewritePurged } from "../segments/purge.ts";
import { replaceDocument } from "../segments/replace-document.ts";
import { matchTexts } from "../segments/search-pattern.ts";
import { type BuiltTail, placeTail, readTail } from "../segments/seal-tail.ts";
import { createSegmentCore, type SegmentCore } from "../segments/segment-core.ts";
import { createChunkShelf } from "../segments/shelve-chunks.ts";
import { readShelvedDocument } from "../segments/shelve-document.ts";
import { collectSegmentTrigrams } from "../segments/trigram-keeper.ts";
import { readFileShelf } from "./file-shelf.ts";
import { openConnection } from "./open-connection.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteDirectory } from "./sqlite-directory.ts";
import type { SentOptions } from "./sent-options.ts";

/** **Units** milliseconds. */
const restBeforeMoving = 50;

/** Program of the thread that does the long works of a store. */
let core: SegmentCore | undefined;
let connection: SqliteConnection | undefined;
let moving: NodeJS.Timeout | undefined;
let stop = new AbortController();
/** A segment that waits for its turn to be written. */
let built: BuiltTail | undefined;

/** It takes a tenth of a second. A store that is closed soon moves it then. */
function moveLogSoon(): void {
  clearTimeout(moving);
  moving = setTimeout(() => connection?.moveLog(), restBeforeMoving);
}

/** Moves the log, once the answer is on its way, so that no write waits for it. */
async function thenMoveLog<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } finally {
    moveLogSoon();
  }
}

function opened(): SegmentCore {
  if (core !== undefined) return core;
  throw new IbidError("internal", "The thread was asked before it opened a store.", { hint: "Call open first." });
}

type Given<Name extends keyof Errands> = Errands[Name]["given"];
type Result<Name extends keyof Errands> = Promise<Errands[Name]["result"]>;

const loadLanguages = () => import("../../text/languages/snowball/language-analyzer.ts");

const tell = serveThread({
  async open({ path, busyTimeoutMs, leastChunks, analyzer, ...options }: SentOptions) {
    connection = await openConnection(path, { busyTimeoutMs });
    const directory = createSqliteDirectory(connection, path, { movesLogItself: true });
    core = createSegmentCore(directory, {
      ...options,
      analyzer: analyzer === "default" ? defaultAnalyzer : (await loadLanguages()).languageAnalyzer,
      corpusModel: leastChunks === undefined ? undefined : { ...latentSemanticModel, leastChunks },
      secret: new Uint8Array(0),
      now: platformNow,
    });
  },
  stop: () => stop.abort(),
  async close() {
    clearTimeout(moving);
    const { directory } = opened();
    // The next store may be another.
    core = undefined;
    connection = undefined;
    built = undefined;
    await directory.close();
  },

  async follow({ scope }: Given<"follow">): Result<"follow"> {
    const { look, view } = opened();
    await look((rows) => void view.scope(rows, scope));
  },

  analyze(said: Given<"analyze">) {
    const { analyze } = opened();
    const ends: number[] = [];
    const terms = said.map((each) => encodeTerms(analyze(each)));
    let size = 0;
    for (const one of terms) ends.push((size += one.length));
    const bytes = new Uint8Array(size);
    terms.forEach((one, i) => bytes.set(one, ends[i - 1] ?? 0));
    return new Transfer({ bytes, ends }, [bytes.buffer]);
  },

  async build({ scope, sealAt }: Given<"build">): Result<"build"> {
    built = undefined;
    // The segment is placed next, and would wait for the log.
    clearTimeout(moving);
    const { look, view } = opened();
    built = (await look((rows) => readTail(rows, view, scope, sealAt)))?.();
    if (built === undefined) moveLogSoon();
    return built !== undefined;
  },

  async place({ scope }: Given<"place">): Result<"place"> {
    const placing = built;
    built = undefined;
    if (placing?.scope !== scope) return false;
    return thenMoveLog(opened().rewrite((rows) => placeTail(rows, placing)));
  },

  tidy: ({ scope, sealAt }: Given<"tidy">): Result<"tidy"> => thenMoveLog(opened().tidyFrom(scope, sealAt)),

  replace({ scope, relying, ingestedAt, ...given }: Given<"replace">): Result<"replace"> {
    const { change, analyze } = opened();
    const known = relying === undefined ? undefined : new Set(relying);
    const document = readShelvedDocument(readFileShelf(given.document));
    const chunks = createChunkShelf(readFileShelf(given.chunks), document, analyze);
    const facts = { ...given.facts, document };
    return thenMoveLog(
      change(scope, (changes) =>
        replaceDocument(
          changes,
          facts,
          chunks.each(),
          ({ chunk, vectors }) => known?.has(chunk.id) ?? vectors.length === 0,
          ingestedAt,
        ),
      ),
    );
  },

  remove: (removal: Given<"remove">): Result<"remove"> => removeChunks(opened(), removal),
  restore: (given: Given<"restore">): Result<"restore"> => restoreChunks(opened(), given),
  vacuum: (given: Given<"vacuum">): Result<"vacuum"> => vacuumChunks(opened(), given),

  async fit(): Result<"fit"> {
    const { look, write, view, latent } = opened();
    if (latent === undefined) return;
    stop = new AbortController();
    const { refit } = await import("../segments/refit.ts");
    await refit({ look, write }, view, latent, {
      signal: stop.signal,
      onProgress: (share) => void tell("progress", share).catch(() => {}),
    });
  },

  rewrite: (scopes: Given<"rewrite">): Result<"rewrite"> => rewritePurged(opened(), scopes),

  match: ({ keys, ...pattern }: Given<"match">): Result<"match"> =>
    opened().look((rows) => matchTexts(rows, keys, pattern)),

  async trigrams({ scope, row }: Given<"trigrams">) {
    const { look, view } = opened();
    const files = await look((rows) => {
      const segment = view.scope(rows, scope)?.sealed.find((one) => one.row === row);
      return segment === undefined ? [] : collectSegmentTrigrams(rows, segment);
    });
    // Each part has a buffer of its own then, which can be moved.
    const moved = files.map(({ data, ...file }) => ({ ...file, data: data.slice() }));
    return new Transfer(
      moved,
      moved.map(({ data }) => data.buffer),
    );
  },
});
