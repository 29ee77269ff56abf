import type { Chunk } from "../contracts/chunk.ts";
import type { Section } from "../contracts/document.ts";
import type { DocumentSummary, StoredChunkSpan, StoredStructure } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type {
  ChunkAddress,
  Excerpt,
  ExpandOptions,
  Outline,
  OutlineSection,
  SectionKind,
} from "../contracts/expansion.ts";
import type { DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Store, StoredChunk } from "../contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { narrowAsked, noteAsked } from "../stores/compose/asked-state.ts";
import { checkNotRevoked, checkOptions, checkText } from "../runtime/check-options.ts";
import { showValue } from "../runtime/plan-options.ts";
import { chunkStructure } from "../text/chunk-structure.ts";
import { locateInSlices, locateStarts } from "../text/locate-in-slices.ts";
import { placeLabels } from "../text/place-labels.ts";
import type { Span } from "../text/sentences.ts";
import { findSectionPath, walkSections } from "../text/walk-sections.ts";
import { containerOf, cutSpan, keepPairs } from "../text/widen-span.ts";

/** A document, and the proof for what the same call reads of it. */
export interface FoundDocument {
  readonly summary: DocumentSummary;
  readonly within: AuthorizedScopes;
}

interface ExcerptParts {
  readonly store: Pick<Store, "chunks" | "structure" | "readText">;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  /** The one document of that uri that the caller may read. */
  readonly find: (uri: string, address: DocumentAddress) => Promise<FoundDocument | undefined>;
}

interface Excerpts extends Pick<KnowledgeBase, "expand" | "outline" | "section"> {
  /** A document with a part of its text. */
  slice(...asked: Required<Parameters<KnowledgeBase["document"]>>): ReturnType<KnowledgeBase["document"]>;
}

/** **Source** Embabel's zoom out. */
const defaultMaxLength = 25_000;

/**
 * The verbs about the text around a chunk, and in a section. They pass the same gate as searching, so that a caller who may not read a document learns
 * nothing of its tree either.
 *
 * **Cost** `expand` and `section` read the text and the chunks that they show, and the places of the document's other chunks. `slice` reads the slice. `outline`
 * reads the text up to the last section in pieces, where places have lines of it; otherwise none.
 * **Source** Embabel's ResultExpander and SectionReader.
 */
export function createExcerpts(parts: ExcerptParts): Excerpts {
  const { store, readable, find } = parts;

  /** A chunk, and the proof for its document: the call asks once for the newest state. */
  async function chunkOf(
    address: ChunkAddress,
    scope: Scope | undefined,
  ): Promise<{ readonly chunk: StoredChunk["chunk"]; readonly within: AuthorizedScopes } | undefined> {
    const id = typeof address === "string" ? address : address.chunkId;
    const wanted = scope ?? (typeof address === "string" ? undefined : address.scope);
    const scopes = await readable(wanted === undefined ? undefined : [wanted]);
    const found: StoredChunk[] = [];
    for await (const chunk of store.chunks(scopes, { ids: [id] })) found.push(chunk);
    if (found.length > 1) throw ambiguous(id, found);
    const [only] = found;
    return only && { chunk: only.chunk, within: narrowAsked(noteAsked(scopes), [only.scope]) };
  }

  /** A document in one state: its tree, and the places of its chunks where they are asked for. */
  async function structureOf(scopes: AuthorizedScopes, id: string, chunks = true): Promise<Structure | undefined> {
    const found = await store.structure(scopes, id, { chunks });
    return found && { ...found, chunks: found.chunks ?? [], scopes };
  }

  /** Chunks that stand where `spans` say, in their order; `undefined` when one of them has become another. */
  async function chunksAt(
    { summary, scopes }: Structure,
    spans: readonly StoredChunkSpan[],
    textOf: (span: Span) => string,
  ): Promise<readonly Chunk[] | undefined> {
    if (spans.length === 0) return [];
    const chunks = new Map<string, Chunk>();
    const ids = spans.map(({ id }) => id);
    for await (const { chunk } of store.chunks(scopes, { documentId: summary.id, ids })) chunks.set(chunk.id, chunk);
    const found = spans.flatMap((span) => {
      const chunk = chunks.get(span.id);
      return chunk && standsAt(chunk, span) && textOf(chunk) === chunk.urtext ? [chunk] : [];
    });
    return found.length === spans.length ? found : undefined;
  }

  /** Whether a document is what it was. */
  async function isSame({ summary, scopes }: Structure): Promise<boolean> {
    const now = await store.structure(scopes, summary.id);
    return now !== undefined && sameVersion(now.summary, summary);
  }

  /** The text of `cut`, which was cut out of `whole`, with the chunks in it. `"swapped"` when the document has become another meanwhile. */
  async function excerptOf(
    structure: Structure,
    spans: readonly StoredChunkSpan[],
    section: Section,
    cut: Span,
    whole: Span = section,
  ): Promise<Excerpt | "swapped"> {
    const { summary, document, scopes } = structure;
    const read = async (from: number, to: number) => (await store.readText(scopes, summary.id, from, to)) ?? "";
    const origin = Math.max(0, cut.start - 1);
    const text = await read(origin, cut.end + 1);
    const { start, end } = keepPairs(text, origin, whole, cut);
    const textOf = (span: Span): string => text.slice(span.start - origin, span.end - origin);
    const inside = spans.filter((span) => start <= span.start && span.end <= end);
    const chunks = await chunksAt(structure, inside, textOf);
    if (chunks === undefined) return "swapped";
    const place = await locateInSlices(document, { start, end }, read, chunks[0]);
    if (!(await isSame(structure))) return "swapped";
    const { uri, scope, id, title } = summary;
    return {
      uri,
      scope,
      documentId: id,
      title,
      sectionId: section.id,
      kind: kindOf(section),
      headings: headingsOf(document.root, section),
      start,
      end,
      ...placeLabels(place),
      text: textOf({ start, end }),
      truncated: start !== whole.start || end !== whole.end,
      whole: { start: whole.start, end: whole.end },
      chunks: chunks.map((chunk) => ({
        chunkId: chunk.id,
        index: chunk.index,
        start: chunk.start,
        end: chunk.end,
        text: textOf(chunk),
        structure: { ...chunkStructure(chunk), totalChunks: summary.chunks },
      })),
    };
  }

  /** Looks again when a document was swapped between two looks: what is handed out is of one version. */
  async function steadily<Found>(look: () => Promise<Found | "swapped">): Promise<Found> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const found = await look();
      if (found !== "swapped") return found;
    }
    throw new IbidError("store-busy", "The document is being written again and again; it cannot be read meanwhile.", {
      hint: "Try again.",
    });
  }

  async function expandOnce(address: ChunkAddress, options: ExpandOptions): Promise<Excerpt | undefined | "swapped"> {
    const found = await chunkOf(address, options.scope);
    if (found === undefined) return undefined;
    const { chunk, within } = found;
    const structure = await structureOf(within, chunk.documentId);
    if (structure === undefined) return undefined;
    const { chunks, document } = structure;
    const own = chunks.find(({ id }) => id === chunk.id);
    const path = findSectionPath(document.root, chunk.sectionId);
    if (own === undefined || !standsAt(chunk, own) || path === undefined) return "swapped";
    if ("zoomOut" in options) {
      const section = path[Math.max(0, path.length - options.zoomOut)]!;
      return excerptOf(structure, chunks, section, cutSpan(section, options.maxLength ?? defaultMaxLength, chunk));
    }
    const container = containerOf(path);
    const beside = chunks.filter(({ start, end }) => container.start <= start && end <= container.end);
    const at = beside.indexOf(own);
    const run = beside.slice(Math.max(0, at - options.neighbours), at + options.neighbours + 1);
    const whole = { start: own.start, end: own.end };
    for (const { start, end } of run) {
      whole.start = Math.min(whole.start, start);
      whole.end = Math.max(whole.end, end);
    }
    return excerptOf(structure, run, container, whole, whole);
  }

  return {
    async expand(address, options) {
      checkNotRevoked("expand", "chunk", address);
      checkNotRevoked("expand", "options", options);
      if (typeof address === "object" && address !== null) checkText("expand", "chunkId", address.chunkId);
      else checkText("expand", "the chunk", address);
      checkExpansion(options);
      return steadily(() => expandOnce(address, options));
    },

    async slice(uri, { start = 0, end, ...address }) {
      checkNumber("start", start, 0);
      if (end !== undefined) checkNumber("end", end, start);
      return steadily(async () => {
        const found = await find(uri, address);
        const structure = found && (await structureOf(found.within, found.summary.id, false));
        if (structure === undefined) return undefined;
        const { summary, document, scopes } = structure;
        const { metadata, root, sourceMap } = document;
        const length = root.end;
        const from = Math.min(start, length);
        const to = Math.min(end ?? length, length);
        const text = await store.readText(scopes, summary.id, from, to);
        if (text === undefined || !(await isSame(structure))) return "swapped";
        return { ...summary, text, start: from, end: to, length, metadata, root, sourceMap };
      });
    },

    async outline(uri, address = {}) {
      checkOptions("outline", address, { scope: true });
      return steadily(async () => {
        const found = await find(uri, address);
        const structure = found && (await structureOf(found.within, found.summary.id, false));
        if (structure === undefined) return undefined;
        const outline = await outlineOf(structure, store);
        return (await isSame(structure)) ? outline : "swapped";
      });
    },

    async section(uri, sectionId, options = {}) {
      checkOptions("section", options, { scope: true, maxLength: true });
      checkText("section", "sectionId", sectionId);
      const maxLength = checkNumber("maxLength", options.maxLength ?? defaultMaxLength, 1);
      const { scope } = options;
      return steadily(async () => {
        const found = await find(uri, scope === undefined ? {} : { scope });
        const structure = found && (await structureOf(found.within, found.summary.id));
        const section = structure && findSectionPath(structure.document.root, sectionId)?.at(-1);
        if (structure === undefined || section === undefined) return undefined;
        return excerptOf(structure, structure.chunks, section, cutSpan(section, maxLength));
      });
    },
  };
}

/** A document without its text, and the proof that it was read with. */
interface Structure extends StoredStructure {
  readonly chunks: readonly StoredChunkSpan[];
  readonly scopes: AuthorizedScopes;
}

function standsAt(chunk: Chunk, { index, start, end }: StoredChunkSpan): boolean {
  return chunk.index === index && chunk.start === start && chunk.end === end;
}

/** Whether two summaries are of the same text and chunks. */
function sameVersion(a: DocumentSummary, b: DocumentSummary): boolean {
  const keys = ["contentHash", "fingerprint", "ingestedAt", "chunks"] as const;
  return keys.every((key) => a[key] === b[key]);
}

async function outlineOf({ summary, document, scopes }: Structure, store: Pick<Store, "readText">): Promise<Outline> {
  const { uri, scope, id, title } = summary;
  const all = [...walkSections(document.root)];
  const read = async (from: number, to: number) => (await store.readText(scopes, id, from, to)) ?? "";
  const places = await locateStarts(
    document,
    all.map(({ start }) => start),
    read,
  );
  const headings = new Map<string, readonly string[]>();
  const sections = all.map((section, at): OutlineSection => {
    const above = headings.get(section.id.slice(0, section.id.lastIndexOf("."))) ?? [];
    const own = section.id === document.root.id ? [] : [...above, section.title];
    headings.set(section.id, own);
    return {
      id: section.id,
      title: section.title,
      level: section.level,
      kind: kindOf(section),
      headings: own,
      start: section.start,
      end: section.end,
      ...placeLabels(places[at]!),
    };
  });
  return { uri, scope, documentId: id, title, length: document.root.end, sections };
}

function kindOf({ level, children }: Section): SectionKind {
  if (level === 0) return "root";
  return children.length > 0 ? "container" : "leaf";
}

function headingsOf(root: Section, section: Section): readonly string[] {
  return (findSectionPath(root, section.id) ?? []).slice(1).map(({ title }) => title);
}

function checkExpansion(options: ExpandOptions): void {
  const isObject = typeof options === "object" && options !== null;
  const ways = ["neighbours", "zoomOut"].filter((way) => isObject && way in options);
  if (ways.length !== 1) {
    throw new IbidError("invalid-argument", "A chunk is expanded in one way at a time.", {
      hint: "Give neighbours, for chunks before and after it, or zoomOut, for the sections around it.",
    });
  }
  if ("neighbours" in options) {
    checkOptions("expand", options, { neighbours: true, scope: true });
    checkNumber("neighbours", options.neighbours, 0);
    return;
  }
  checkOptions("expand", options, { zoomOut: true, scope: true, maxLength: true });
  checkNumber("zoomOut", options.zoomOut, 1);
  if (options.maxLength !== undefined) checkNumber("maxLength", options.maxLength, 1);
}

function checkNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new IbidError(
    "invalid-argument",
    `${name} is ${showValue(value)}; it must be a whole number, ${least} or more.`,
  );
}

function ambiguous(id: string, found: readonly StoredChunk[]): IbidError {
  const scopes = found.map(({ scope }) => scope);
  return new IbidError("ambiguous", `Chunk ${id} is in several scopes: ${scopes.join(", ")}.`, {
    hint: `Say which: scope "${scopes[0]}", for example.`,
    details: { scopes },
  });
}
