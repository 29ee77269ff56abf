import type { Chunk } from "../contracts/chunk.ts";
import type { Section } from "../contracts/document.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
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
import { checkOptions } from "../runtime/check-options.ts";
import { chunkStructure } from "../text/chunk-structure.ts";
import { createLocator } from "../text/locate.ts";
import { placeLabels } from "../text/place-labels.ts";
import type { Span } from "../text/sentences.ts";
import { findSectionPath, walkSections } from "../text/walk-sections.ts";
import { containerOf, cutAround } from "../text/widen-span.ts";

interface ExcerptParts {
  readonly store: Pick<Store, "chunks" | "document">;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  /** The one document of that uri that the caller may read. */
  readonly find: (uri: string, address: DocumentAddress) => Promise<StoredDocument | undefined>;
}

/** **Source** Embabel's zoom out. */
const defaultMaxLength = 25_000;

/**
 * The verbs about the text around a chunk, and in a section. They pass the same gate as searching, so that a caller who may not read a document learns
 * nothing of its tree either.
 *
 * **Cost** `expand` looks up one chunk by its id and reads the chunks of its document; `section` reads the document's chunks too.
 * **Source** Embabel's ResultExpander and SectionReader.
 */
export function createExcerpts(parts: ExcerptParts): Pick<KnowledgeBase, "expand" | "outline" | "section"> {
  const { store, readable, find } = parts;

  async function chunkOf(address: ChunkAddress, scope: Scope | undefined): Promise<StoredChunk | undefined> {
    const id = typeof address === "string" ? address : address.chunkId;
    const wanted = scope ?? (typeof address === "string" ? undefined : address.scope);
    const scopes = await readable(wanted === undefined ? undefined : [wanted]);
    const found: StoredChunk[] = [];
    for await (const chunk of store.chunks(scopes, { ids: [id] })) found.push(chunk);
    if (found.length > 1) throw ambiguous(id, found);
    return found[0];
  }

  /** A document's chunks, in order of their place. `undefined` when it has become another meanwhile. */
  async function chunksOf({ summary, document }: StoredDocument): Promise<readonly Chunk[] | undefined> {
    const chunks: Chunk[] = [];
    const scopes = await readable([summary.scope]);
    for await (const { chunk } of store.chunks(scopes, { documentId: summary.id })) chunks.push(chunk);
    if (chunks.some(({ start, end, urtext }) => document.text.slice(start, end) !== urtext)) return undefined;
    return chunks.sort((a, b) => a.index - b.index || a.start - b.start);
  }

  /** Looks again when a document was swapped between two looks: what is handed out is of one version. */
  async function steadily(look: () => Promise<Excerpt | undefined | "swapped">): Promise<Excerpt | undefined> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const excerpt = await look();
      if (excerpt !== "swapped") return excerpt;
    }
    throw new IbidError("store-busy", "The document is being written again and again; it cannot be read meanwhile.", {
      hint: "Try again.",
    });
  }

  async function expandOnce(address: ChunkAddress, options: ExpandOptions): Promise<Excerpt | undefined | "swapped"> {
    const found = await chunkOf(address, options.scope);
    if (found === undefined) return undefined;
    const stored = await store.document(await readable([found.scope]), found.chunk.documentId);
    if (stored === undefined) return undefined;
    const chunks = await chunksOf(stored);
    const chunk = chunks?.find(({ id }) => id === found.chunk.id);
    const path = chunk && findSectionPath(stored.document.root, chunk.sectionId);
    if (chunks === undefined || path === undefined) return "swapped";
    if ("zoomOut" in options) {
      const section = path[Math.max(0, path.length - options.zoomOut)]!;
      const maxLength = options.maxLength ?? defaultMaxLength;
      return excerptOf(stored, chunks, section, cutAround(stored.document.text, section, maxLength, chunk));
    }
    const container = containerOf(path);
    const beside = chunks.filter(({ start, end }) => container.start <= start && end <= container.end);
    const at = beside.indexOf(chunk!);
    const run = beside.slice(Math.max(0, at - options.neighbours), at + options.neighbours + 1);
    const whole = { start: Math.min(...run.map((each) => each.start)), end: Math.max(...run.map((each) => each.end)) };
    return excerptOf(stored, run, container, whole, whole);
  }

  return {
    async expand(address, options) {
      checkExpansion(options);
      return steadily(() => expandOnce(address, options));
    },

    async outline(uri, address = {}) {
      checkOptions("outline", address, ["scope"]);
      const stored = await find(uri, address);
      return stored && outlineOf(stored);
    },

    async section(uri, sectionId, options = {}) {
      checkOptions("section", options, ["scope", "maxLength"]);
      const maxLength = checkNumber("maxLength", options.maxLength ?? defaultMaxLength, 1);
      const { scope } = options;
      return steadily(async () => {
        const stored = await find(uri, scope === undefined ? {} : { scope });
        const section = stored && findSectionPath(stored.document.root, sectionId)?.at(-1);
        if (stored === undefined || section === undefined) return undefined;
        const chunks = await chunksOf(stored);
        if (chunks === undefined) return "swapped";
        return excerptOf(stored, chunks, section, cutAround(stored.document.text, section, maxLength));
      });
    },
  };
}

function excerptOf(
  { summary, document }: StoredDocument,
  chunks: readonly Chunk[],
  section: Section,
  stretch: Span,
  whole: Span = section,
): Excerpt {
  const { start, end } = stretch;
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
    ...placeLabels(createLocator(document)(start, end)),
    text: document.text.slice(start, end),
    truncated: start !== whole.start || end !== whole.end,
    whole: { start: whole.start, end: whole.end },
    chunks: chunks
      .filter((chunk) => start <= chunk.start && chunk.end <= end)
      .map((chunk) => ({
        chunkId: chunk.id,
        index: chunk.index,
        start: chunk.start,
        end: chunk.end,
        text: document.text.slice(chunk.start, chunk.end),
        structure: { ...chunkStructure(chunk), totalChunks: summary.chunks },
      })),
  };
}

function outlineOf({ summary, document }: StoredDocument): Outline {
  const { uri, scope, id, title } = summary;
  const locate = createLocator(document);
  const headings = new Map<string, readonly string[]>();
  const sections = Array.from(walkSections(document.root), (section): OutlineSection => {
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
      ...placeLabels(locate(section.start)),
    };
  });
  return { uri, scope, documentId: id, title, length: document.text.length, sections };
}

function kindOf({ level, children }: Section): SectionKind {
  if (level === 0) return "root";
  return children.length > 0 ? "container" : "leaf";
}

function headingsOf(root: Section, section: Section): readonly string[] {
  return (findSectionPath(root, section.id) ?? []).slice(1).map(({ title }) => title);
}

function checkExpansion(options: ExpandOptions): void {
  const ways = ["neighbours", "zoomOut"].filter((way) => way in options);
  if (ways.length !== 1) {
    throw new IbidError("invalid-argument", "A chunk is expanded in one way at a time.", {
      hint: "Give neighbours, for chunks before and after it, or zoomOut, for the sections around it.",
    });
  }
  if ("neighbours" in options) {
    checkOptions("expand", options, ["neighbours", "scope"]);
    checkNumber("neighbours", options.neighbours, 0);
    return;
  }
  checkOptions("expand", options, ["zoomOut", "scope", "maxLength"]);
  checkNumber("zoomOut", options.zoomOut, 1);
  if (options.maxLength !== undefined) checkNumber("maxLength", options.maxLength, 1);
}

function checkNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new IbidError("invalid-argument", `${name} is ${String(value)}; it must be a whole number, ${least} or more.`);
}

function ambiguous(id: string, found: readonly StoredChunk[]): IbidError {
  const scopes = found.map(({ scope }) => scope);
  return new IbidError("ambiguous", `Chunk ${id} is in several scopes: ${scopes.join(", ")}.`, {
    hint: `Say which: scope "${scopes[0]}", for example.`,
    details: { scopes },
  });
}
