import type { Store } from "../../contracts/store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { analyzeChunk, encodeTerms, termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { asFloat64, asUint32 } from "../../engine/segments/bytes.ts";
import { encodeLanguages, readLanguages } from "../../engine/segments/language-column.ts";
import { sealSegment } from "../../engine/segments/build-segment.ts";
import { readIndex, readTerms, writePostings } from "../../engine/segments/postings-file.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { composeStore } from "../compose/compose-store.ts";
import { createMemoryDirectory } from "../memory/memory-directory.ts";
import { type MemoryStoreOptions, memoryOptionNames } from "../memory/memory-store.ts";
import { createSecret } from "../segments/create-secret.ts";
import { pack, packColumn } from "../segments/held-columns.ts";
import { createUncachedReader } from "../segments/replace-document.ts";
import { createSegmentCore, type SegmentCore } from "../segments/segment-core.ts";
import { innermostHeading } from "../segments/index-view.ts";
import { createStoreParts } from "../segments/segment-store.ts";
import { checkNames, type ChunkRow, type DirectoryReader } from "../segments/segment-directory.ts";
import { decideStoreOptions } from "../segments/store-options.ts";
import {
  manifestName,
  nameOf,
  type PublishedChunk,
  type PublishedDocument,
  type PublishedFacts,
  type PublishedManifest,
  termsOfHeadings,
  writeManifest,
} from "./published-format.ts";

/**
 * A file of a publication.
 *
 * @experimental
 */
export interface PublishedFile {
  /** `manifest.ibid`, or a name that is made of the file's content. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Options of {@link Publication.files}.
 *
 * @experimental
 */
export interface PublishOptions {
  /** Factor of the scores of a document's chunks, above 0 and up to 1. Default: 1 for all. */
  readonly weigh?: (document: { readonly uri: string; readonly title: string }) => number;
}

/**
 * A store that is filled like any other, and then written as files for {@link openPublishedStore}.
 *
 * @experimental
 */
export interface Publication {
  /** Holds what is to be published, in memory. */
  readonly store: Store;
  /**
   * The files of what the store holds.
   *
   * **Errors** `unsupported` for a document outside of the scope `deployment`, because a reader of the files reads all of them.
   * **Cost** analyses every chunk once more.
   */
  files(options?: PublishOptions): Promise<readonly PublishedFile[]>;
}

/** A search reads a block for each of its words. **Units** bytes before compression. */
const blockBytes = 2_500;
/** A hit reads the parts of its document that it lies in. **Units** UTF-16 code units. */
const partLength = 12_000;

/**
 * Makes a store whose content can be published: static files that a page searches without a server.
 *
 * **Shape** words alone are published, no vectors. The files hold the texts in the clear.
 * **Errors** `invalid-argument` for an unknown option.
 *
 * @experimental
 */
export function createPublication(options: MemoryStoreOptions = {}): Publication {
  checkOptions("createPublication", options, memoryOptionNames);
  const directory = createMemoryDirectory();
  const decided = decideStoreOptions(options);
  const core = createSegmentCore(directory, {
    ...decided,
    embeddings: options.embeddings ?? ["dense", "sparse", "hybrid"],
    secret: createSecret(),
  });
  return {
    store: composeStore(createStoreParts(core), { name: "The publication" }),
    async files(publish = {}) {
      checkOptions("files", publish, { weigh: true });
      const { weigh = () => 1 } = publish;
      const { documents, built, chunks } = await core.look((rows) => readAll(rows, core, weigh));
      const files = new Map<string, Uint8Array>();
      const add = async (bytes: Uint8Array): Promise<string> => {
        const packed = await pack(bytes);
        const name = nameOf(packed, (taken) => isOther(files.get(taken), packed));
        files.set(name, packed);
        return name;
      };
      const addText = (text: string): Promise<string> => add(new TextEncoder().encode(text));
      const published: PublishedDocument[] = [];
      for (const { texts, structure, ends, rows, metadata, ...about } of documents) {
        const [text = "", ...rest] = texts;
        const parts: string[] = [];
        for (const more of rest) parts.push(await addText(more));
        const facts: PublishedFacts = {
          text,
          ends,
          parts,
          structure: await addText(structure),
          metadata,
          chunks: rows,
        };
        published.push({ ...about, chunks: rows.length, facts: await addText(JSON.stringify(facts)) });
      }
      const postings: string[] = [];
      for (const block of built.blocks) postings.push(await add(block));
      const manifest = writeManifest({
        scope: "deployment",
        analyzer: termsFingerprint(decided.analyzer),
        publishedAt: new Date(decided.now()).toISOString(),
        documents: published,
        copies: packColumn(groupCopies(chunks)),
        headings: shortenHeadings(built.headings, chunks, published),
        textLengths: packColumn(built.textLengths),
        nameLengths: packColumn(built.nameLengths),
        languages: built.languages,
        frequencies: packColumn(built.frequencies),
        firsts: built.firsts,
        postings,
      });
      files.set(manifestName, await pack(manifest));
      return Array.from(files, ([name, bytes]) => ({ name, bytes }));
    },
  };
}

/** A document with its text in parts, before its files have names. */
interface ReadDocument
  extends Omit<PublishedDocument, "chunks" | "facts">, Pick<PublishedFacts, "ends" | "structure" | "metadata"> {
  readonly texts: readonly string[];
  readonly rows: readonly PublishedChunk[];
}

/** The chunk's row, with the number of its document in the publication. */
type NumberedChunk = ChunkRow;

interface BuiltIndex {
  readonly textLengths: readonly number[];
  readonly nameLengths: readonly number[];
  readonly languages: Uint8Array;
  /** Innermost heading of each chunk. */
  readonly headings: readonly string[];
  readonly frequencies: readonly number[];
  readonly firsts: readonly string[];
  readonly blocks: readonly Uint8Array[];
}

function readAll(
  rows: DirectoryReader,
  { view, options: { analyzer, bm25 } }: SegmentCore,
  weigh: NonNullable<PublishOptions["weigh"]>,
): {
  readonly documents: readonly ReadDocument[];
  readonly chunks: readonly NumberedChunk[];
  readonly built: BuiltIndex;
} {
  const other = rows.scopes().find(({ scope, key }) => scope !== "deployment" && rows.totals(key).documents > 0);
  if (other !== undefined) {
    throw new IbidError("unsupported", `A publication has no callers, and the scope ${other.scope} is not for all.`, {
      hint: "Ingest what is to be published into the scope deployment.",
    });
  }
  const scope = rows.scope("deployment");
  const found = scope === undefined ? [] : [...rows.scanChunks(scope.key)];
  const reader = createUncachedReader(rows);
  const { row, files } = sealSegment(
    found.map((chunk) => ({
      key: chunk.key,
      id: chunk.id,
      live: true,
      terms: () => encodeTerms(analyzeChunk(analyzer, reader.chunk(chunk))),
      vectors: () => [],
    })),
    rows,
  );
  const byKey = new Map(found.map((chunk) => [chunk.key, chunk]));
  const inOrder = Array.from(asFloat64(row.keys), (key) => byKey.get(key)!);
  const numbers = new Map<number, number>();
  for (const { document } of inOrder) if (!numbers.has(document)) numbers.set(document, numbers.size + 1);
  const chunks = inOrder.map((chunk) => ({ ...chunk, document: numbers.get(chunk.document)! }));
  const ofDocument = Map.groupBy(chunks, ({ document }) => document);
  const documents = Array.from(numbers, ([key, number]) => readDocument(rows, key, ofDocument.get(number)!, weigh));
  const blocksOf = (name: string): Uint8Array[] => files.filter((file) => file.name === name).map(({ data }) => data);
  const rewritten = writePostings(readTerms(blocksOf("postings")), blockBytes);
  const lengths = [...asUint32(row.lengths)];
  const index = finishSteps(view.words(rows, ["deployment"], analyzer, bm25));
  const languages = blocksOf("languages")[0] ?? encodeLanguages([]);
  const headings = chunks.map(({ details, document }) => innermostHeading(details, () => documents[document - 1]!.uri));
  const terms = termsOfHeadings(analyzer, headings, readLanguages(languages));
  return {
    documents,
    chunks,
    built: {
      textLengths: lengths.slice(0, row.size),
      nameLengths: lengths.slice(row.size),
      languages,
      headings,
      frequencies: terms.map((term) => finishSteps(index.word({ terms: [term] })).frequency),
      firsts: readIndex(rewritten.index),
      blocks: rewritten.blocks,
    },
  };
}

function readDocument(
  rows: DirectoryReader,
  key: number,
  chunks: readonly ChunkRow[],
  weigh: NonNullable<PublishOptions["weigh"]>,
): ReadDocument {
  const { uri, title, mediaType, bytes } = checkNames(rows.document(key));
  const { text, structure } = rows.documentBody(key);
  const weight = weigh({ uri, title });
  if (!(weight > 0 && weight <= 1)) {
    throw new IbidError("invalid-argument", `The weight of ${uri} is ${String(weight)}.`, {
      hint: "Give a number above 0 and up to 1.",
    });
  }
  const texts: string[] = [];
  const ends: number[] = [];
  for (let from = 0; from < text.length || texts.length === 0; from = ends.at(-1)!) {
    texts.push(text.slice(from, from + partLength));
    ends.push(from + texts.at(-1)!.length);
  }
  const metadata = [...new Set(chunks.map((chunk) => chunk.metadata))];
  const said = new Map(metadata.map((each, i) => [each, i]));
  const published = chunks.map(
    (chunk) =>
      [
        chunk.start,
        chunk.end,
        chunk.index,
        chunk.details,
        said.get(chunk.metadata)!,
        chunk.urtext,
        chunk.text,
      ] as const,
  );
  return { uri, title, mediaType, bytes, weight, texts, ends, structure, metadata, rows: published };
}

const isOther = (known: Uint8Array | undefined, packed: Uint8Array): boolean =>
  known !== undefined && (known.length !== packed.length || known.some((byte, i) => byte !== packed[i]));

/** Innermost headings as the manifest has them: most are those of the chunk before, or the title. */
function shortenHeadings(
  headings: readonly string[],
  chunks: readonly NumberedChunk[],
  documents: readonly PublishedDocument[],
): PublishedManifest["headings"] {
  return headings.map((heading, i) =>
    heading === (headings[i - 1] ?? "") ? 0 : heading === documents[chunks[i]!.document - 1]!.title ? 1 : heading,
  );
}

/** The same number, from 1, for chunks of the same text; 0 for a text that occurs once. */
function groupCopies(chunks: readonly ChunkRow[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const { textKey } of chunks) counts.set(textKey, (counts.get(textKey) ?? 0) + 1);
  const groups = new Map<string, number>();
  return chunks.map(({ textKey }) => {
    if (counts.get(textKey) === 1) return 0;
    const known = groups.get(textKey) ?? groups.size + 1;
    groups.set(textKey, known);
    return known;
  });
}
