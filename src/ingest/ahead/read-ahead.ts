import { eitherWay, findDocumentKind } from "../../chunkers/chunk-by-kind.ts";
import { createChunkFactory } from "../../chunkers/create-chunk.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../../contracts/chunker.ts";
import type { Section, TextDocument } from "../../contracts/document.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { untilAborted } from "../../runtime/abort.ts";
import type { KnownTerms } from "./ahead-thread.ts";
import { shareThread } from "./late-thread.ts";
import { nameParts, type PreparedCuts } from "./prepared-document.ts";
import { createShortMemory } from "./short-memory.ts";

/** What documents are read, cut and analysed by. */
export interface DocumentParts {
  readonly readers: readonly Reader[];
  readonly chunker: Chunker | AsyncChunker;
  readonly analyzer: Analyzer;
}

/** How they are prepared ahead. */
export interface ReadAheadOptions {
  /** The thread's program, which makes the same parts. */
  readonly program: URL;
  /** From the first file on; else when there is enough to do. */
  readonly atOnce: boolean;
  /** So long nobody is silent who reads small files. **Units** milliseconds. Default 10,000. */
  readonly patienceMs?: number;
}

/** Readers whose files are read here or there alike: small ones that are texts, with nothing inside that another would have to read. */
const readThere = /^(?:plain-text|markdown|html)\//u;

/** Larger ones are cut and written in batches. **Units** bytes. */
const largest = 2 ** 20;

/** How much text may be remembered at once: as much as is in flight. **Units** UTF-16 code units. */
const mostRemembered = 16 * 2 ** 20;

/** A document that the thread has cut. */
interface CutDocument extends Pick<KnownTerms, "language" | "words"> {
  readonly uri: string;
  readonly text: string;
  readonly cuts: PreparedCuts;
}

/**
 * The same parts, whose work is done by a thread before they are asked for it: a reader gives what it read, and with that comes where the document was cut, its
 * language and the terms of its chunks. The chunker and the analyzer look there first, and do it themselves where they find nothing.
 *
 * **Shape** what comes out is the same: chunks are made here, by the same factory; terms are those of the very text, in the very language. **Errors** the readers': a file
 * that the thread cannot read is read again here. A thread that does not start, dies or hangs costs its time and nothing else.
 * **Cost** a copy of the bytes there, of the text back; while a folder is ingested this thread has some 30 % less to do.
 */
export function createReadAhead(
  parts: DocumentParts,
  { program, atOnce, patienceMs = 10_000 }: ReadAheadOptions,
): DocumentParts {
  const { readers, chunker, analyzer } = parts;
  const thread = shareThread(program, nameParts(parts), patienceMs);
  const cutByRoot = new WeakMap<Section, CutDocument>();
  const languages = createShortMemory<string>(mostRemembered);
  const terms = createShortMemory<{ readonly of: CutDocument; readonly index: number }>(mostRemembered);

  async function ask(reader: number, input: ReadInput): Promise<ReadResult | undefined> {
    if ((input.depth ?? 0) > 0 || input.bytes.byteLength > largest) return undefined;
    const { signal, readPart: _, ...sent } = input;
    const { uri } = sent;
    const prepared = await untilAborted(thread.prepare(reader, sent, atOnce), signal, `Reading ${uri}`);
    if (prepared === undefined) return undefined;
    const { result, language, isDetected, cuts, words } = prepared;
    const { text, root } = result;
    if (isDetected) languages.put(text, language);
    if (cuts !== undefined) cutByRoot.set(root, { uri, text, language, cuts, words });
    return result;
  }

  function* makeChunks(document: TextDocument, of: CutDocument): Generator<Chunk, undefined> {
    const { places, texts, ends } = of.cuts;
    const makeChunk = createChunkFactory(document);
    for (let index = 0; index < ends.length; index++) {
      const chunk = makeChunk(places[2 * index]!, places[2 * index + 1]!, texts.get(index));
      if (of.language !== "") terms.put(chunk.text, { of, index });
      yield chunk;
    }
  }

  return {
    readers: readers.map((reader, index) =>
      readThere.test(reader.name)
        ? { ...reader, read: async (input) => (await ask(index, input)) ?? reader.read(input) }
        : reader,
    ),
    chunker: {
      fingerprint: chunker.fingerprint,
      chunk(document, options) {
        const cut = cutByRoot.get(document.root);
        const isThis =
          cut?.text === document.text && cut.uri === document.uri && cut.cuts.kind === findDocumentKind(document);
        return isThis
          ? eitherWay(makeChunks(document, cut))
          : (chunker.chunk(document, options) as AsyncIterable<Chunk>);
      },
    },
    analyzer: Object.freeze({
      ...analyzer,
      languageOf: (text: string) => languages.take(text) ?? analyzer.languageOf?.(text) ?? "",
      analyze(text: string, language?: string) {
        const found = terms.take(text);
        return found?.of.language === language && found !== undefined
          ? termsOf(found.of, found.index)
          : analyzer.analyze(text, language);
      },
    }),
  };
}

function termsOf({ cuts, words }: CutDocument, index: number): readonly string[] {
  const found: string[] = [];
  for (let at = cuts.ends[index - 1] ?? 0; at < cuts.ends[index]!; at++) found.push(words[cuts.terms[at]!]!);
  return found;
}
