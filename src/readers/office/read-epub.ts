import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { composeDocument } from "../compose-document.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { nameSome } from "./clean-text.ts";
import { decodePath, openArchive, resolvePath, type Archive } from "./open-archive.ts";
import { encrypted, unreadable, withoutText } from "./refusals.ts";
import { readFact, statedFacts } from "./package-facts.ts";
import { elementsOf, findAll, findChild, readXml, type XmlElement } from "./read-xml.ts";

/** A file of the book, as its manifest lists it. */
interface ManifestItem {
  readonly path: string;
  readonly mediaType: string;
  readonly properties: string;
  readonly fallback: string | undefined;
}

/** Implements {@link createEpubReader}; loaded with its libraries when the first book is read. */
export async function readEpub(input: ReadInput): Promise<ReadResult> {
  const { uri, readPart } = input;
  const { maxPages, maxTextLength } = limitsOf(input);
  if (readPart === undefined) {
    throw new IbidError("unsupported-media", `${uri} has chapters in HTML, and no reader of HTML was given.`, {
      hint: "Read the file through a knowledge base or readDocument, with a reader of HTML among the readers.",
      uri,
    });
  }
  const archive = await openArchive(input);
  const packagePath = await findPackage(archive);
  const book = await readPartOf(archive, packagePath);
  if (book === undefined) throw unreadable(uri, `has no package file ${packagePath}`);
  const manifest = readManifest(book, packagePath);
  const chapters = listChapters(book, manifest);
  if (chapters.length > maxPages) throw overLimit(uri, "maxPages", maxPages, chapters.length);
  const locked = await findLocked(archive);
  if (chapters.some(({ path }) => locked.has(path))) throw encrypted(uri);

  const contents = await readContentsOf(archive, book, manifest);
  const document = composeDocument();
  const missing: string[] = [];
  for (const [index, { path, mediaType }] of chapters.entries()) {
    input.onPage?.(index, chapters.length);
    const bytes = await archive.read(path);
    const chapter =
      bytes === undefined
        ? undefined
        : await readPart({ name: path, bytes, mediaType: htmlTypes.get(mediaType) ?? mediaType }).catch(skip);
    if (chapter === undefined) missing.push(path);
    if (chapter === undefined || chapter === "empty") continue;
    const entry = contents.get(path);
    const [top] = chapter.root.children.map(({ level }) => level).toSorted((a, b) => a - b);
    if (top === undefined && entry !== undefined) document.heading(entry.title, entry.level);
    document.part(path, chapter, entry === undefined || top === undefined ? 0 : entry.level - top);
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength, document.position);
  }

  input.onPage?.(chapters.length, chapters.length);
  const { title: stated, metadata } = readBookFacts(findChild(book, "metadata"));
  const draft = document.finish(stated);
  if (draft.text === "") throw withoutText(uri);
  const title = stated || draft.root.children[0]?.title || fileNameOf(uri);
  return {
    ...draft,
    title,
    root: { ...draft.root, title },
    metadata,
    ...(missing.length === 0
      ? {}
      : { notes: [`Not read, since it is missing or no reader takes it: ${nameSome(missing)}.`] }),
  };
}

/** Media types that some books use for HTML. */
const htmlTypes: ReadonlyMap<string, string> = new Map([
  ["text/x-oeb1-document", "text/html"],
  ["application/x-html+xml", "application/xhtml+xml"],
]);

/** A page without text, such as a cover, is no fault of the book; a picture as a chapter is nobody's to read. */
function skip(error: unknown): "empty" | undefined {
  if (IbidError.isInstance(error, "empty")) return "empty";
  if (IbidError.isInstance(error, "unsupported-media") || IbidError.isInstance(error, "binary")) return undefined;
  throw error;
}

async function readPartOf(archive: Archive, path: string | undefined): Promise<XmlElement | undefined> {
  const bytes = path === undefined ? undefined : await archive.read(path);
  return bytes === undefined || path === undefined ? undefined : readXml(bytes, archive.uri, path);
}

/** Where the package file is. **Source** EPUB 3.3, 4.2.6.3.1; where the container says nothing, by its extension. */
async function findPackage(archive: Archive): Promise<string> {
  const container = await readPartOf(archive, "META-INF/container.xml");
  const stated = findAll(container, "rootfile").map(({ attributes }) =>
    resolvePath("", attributes.get("full-path") ?? ""),
  );
  const found = stated.find((path) => archive.has(path)) ?? archive.names.find((name) => /\.opf$/i.test(name));
  if (found === undefined) throw unreadable(archive.uri, "is an archive without the package file of a book");
  return found;
}

function readManifest(book: XmlElement, packagePath: string): ReadonlyMap<string, ManifestItem> {
  const items = new Map<string, ManifestItem>();
  for (const { name, attributes } of elementsOf(findChild(book, "manifest"))) {
    const id = attributes.get("id") ?? "";
    if (name !== "item" || items.has(id)) continue;
    items.set(id, {
      path: resolvePath(packagePath, decodePath(attributes.get("href") ?? "")),
      mediaType: (attributes.get("media-type") ?? "").toLowerCase(),
      properties: attributes.get("properties") ?? "",
      fallback: attributes.get("fallback"),
    });
  }
  return items;
}

/** The spine, linear chapters first, each once. A chapter that is no HTML is replaced by its fallback. */
function listChapters(book: XmlElement, manifest: ReadonlyMap<string, ManifestItem>): ManifestItem[] {
  const references = elementsOf(findChild(book, "spine")).filter(({ name }) => name === "itemref");
  const isLinear = ({ attributes }: XmlElement): boolean => attributes.get("linear") !== "no";
  const ordered = [...references.filter(isLinear), ...references.filter((reference) => !isLinear(reference))];
  const chapters = new Map<string, ManifestItem>();
  for (const { attributes } of ordered) {
    let item = manifest.get(attributes.get("idref") ?? "");
    for (let steps = 0; item !== undefined && steps < 8 && !/html|x-oeb1/.test(item.mediaType); steps++)
      item = manifest.get(item.fallback ?? "") ?? item;
    if (item !== undefined && !chapters.has(item.path)) chapters.set(item.path, item);
  }
  return [...chapters.values()];
}

/** Files that only a licence opens. Fonts are often merely scrambled, which keeps nobody from reading. **Source** EPUB 3.3, 4.2.6.3.2 and 4.4. */
async function findLocked(archive: Archive): Promise<ReadonlySet<string>> {
  const locked = new Set<string>();
  for (const data of findAll(await readPartOf(archive, "META-INF/encryption.xml"), "EncryptedData")) {
    const algorithm = findChild(data, "EncryptionMethod")?.attributes.get("Algorithm") ?? "";
    if (/idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/.test(algorithm)) continue;
    for (const { attributes } of findAll(data, "CipherReference"))
      locked.add(resolvePath("", decodePath(attributes.get("URI") ?? "")));
  }
  return locked;
}

/** A table of contents that is broken or missing costs the book nothing but headings. */
async function readContentsOf(
  archive: Archive,
  book: XmlElement,
  manifest: ReadonlyMap<string, ManifestItem>,
): Promise<ReadonlyMap<string, ContentsEntry>> {
  const navigation = [...manifest.values()].find(({ properties }) => /(?:^|\s)nav(?:\s|$)/.test(properties));
  const older = manifest.get(findChild(book, "spine")?.attributes.get("toc") ?? "");
  for (const item of [navigation, older]) {
    const root = await readPartOf(archive, item?.path).catch((error: unknown) => {
      if (IbidError.isInstance(error, "unreadable")) return undefined;
      throw error;
    });
    const contents = root === undefined || item === undefined ? undefined : readContents(root, item.path);
    if (contents !== undefined && contents.size > 0) return contents;
  }
  return new Map();
}

function readBookFacts(facts: XmlElement | undefined): { title: string; metadata: Metadata } {
  const authors = findAll(facts, "creator").map(readFact);
  const description = readFact(findAll(facts, "description")[0])
    .replace(/<\/?(?:p|div|br|li|h\d)\b[^<>]*>/gi, " ")
    .replace(/<[^<>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return {
    title: readFact(findAll(facts, "title")[0]),
    metadata: {
      ...statedFacts({
        author: authors.filter((author) => author !== "").join(", "),
        language: findAll(facts, "language")[0],
        createdAt: findAll(facts, "date")[0],
        modifiedAt: findAll(facts, "meta").find(({ attributes }) => attributes.get("property") === "dcterms:modified"),
      }),
      ...(description === "" ? {} : { description }),
    },
  };
}

/** Entry of a chapter in a book's table of contents. */
interface ContentsEntry {
  readonly title: string;
  /** 1 for the outermost entries. */
  readonly level: number;
}

/**
 * The table of contents of a book, by the path of the file that an entry leads to; the first entry for a file counts.
 *
 * **Source** EPUB 3.3, 7 (navigation documents); OPF 2.0.1, 2.4.1 (NCX).
 */
function readContents(root: XmlElement, path: string): ReadonlyMap<string, ContentsEntry> {
  const contents = new Map<string, ContentsEntry>();
  const add = (address: string | undefined, title: string, level: number): void => {
    const target = resolvePath(path, decodePath(address ?? ""));
    if (address !== undefined && title !== "" && !contents.has(target)) contents.set(target, { title, level });
  };
  const walkList = (list: XmlElement | undefined, level: number): void => {
    for (const item of elementsOf(list)) {
      if (item.name !== "li") continue;
      const link = findChild(item, "a");
      if (link !== undefined) add(link.attributes.get("href"), readFact(link), level);
      walkList(findChild(item, "ol"), level + 1);
    }
  };
  const walkPoints = (parent: XmlElement | undefined, level: number): void => {
    for (const point of elementsOf(parent)) {
      if (point.name !== "navPoint") continue;
      add(findChild(point, "content")?.attributes.get("src"), readFact(findChild(point, "navLabel", "text")), level);
      walkPoints(point, level + 1);
    }
  };
  const lists = findAll(root, "nav");
  walkList(findChild(lists.find(({ attributes }) => attributes.get("type") === "toc") ?? lists[0], "ol"), 1);
  walkPoints(findChild(root, "navMap"), 1);
  return contents;
}
