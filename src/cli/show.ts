import { type Command, Option } from "commander";
import type { DocumentVersion } from "../contracts/document-store.ts";
import type { Section } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Excerpt } from "../contracts/expansion.ts";
import type { DocumentView, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { type DocumentLink, linksIn } from "../text/locate.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import { showSuspicion } from "../text/untrusted/describe-suspicions.ts";
import { findSuspicious } from "../text/untrusted/find-suspicious.ts";
import { examples } from "./help-text.ts";
import { type CommonOptions, type Context, findUris, requireText, withKnowledgeBase } from "./open.ts";
import type { Output } from "./output.ts";
import { readCount, readDepth, readRange, scopeOption } from "./read-option.ts";
import { noChunk, noDocument } from "./suggest-uris.ts";
import { count, neutralise } from "./text-layout.ts";

export interface ShowCommandOptions extends CommonOptions {
  readonly outline?: true;
  readonly at?: { readonly start: number; readonly end: number };
  readonly section?: string;
  readonly chunk?: string;
  readonly neighbours?: number;
  readonly zoomOut?: number | true;
  readonly links?: true;
  readonly suspicious?: true;
  /** Control characters of the text are written to a file or a pipe. */
  readonly raw?: true;
  readonly scope?: Scope;
  readonly asOf?: string;
  readonly versions?: true;
}

/** `ibid show`: a document's canonical text, a part of it, or its outline; or a chunk with the text around it. */
export async function show(context: Context, typed: string | undefined, options: ShowCommandOptions): Promise<number> {
  const { chunk, neighbours, zoomOut } = options;
  if (chunk === undefined && (neighbours !== undefined || zoomOut !== undefined)) {
    throw new IbidError("invalid-argument", "--neighbours and --zoom-out need --chunk.", {
      hint: "Name a chunk with --chunk; search --ids prints ids.",
    });
  }
  if ((chunk === undefined) === (typed === undefined)) {
    throw new IbidError(
      "invalid-argument",
      `${chunk === undefined ? "No document and no chunk is" : "A document and a chunk are"} named.`,
      {
        hint: "Name one: a document, or a chunk with --chunk.",
      },
    );
  }
  return typed === undefined ? showChunk(context, chunk ?? "", options) : showDocument(context, typed, options);
}

async function showChunk(context: Context, id: string, options: ShowCommandOptions): Promise<number> {
  requireText("chunk", id);
  const { neighbours = 0, zoomOut, scope } = options;
  const where = scope === undefined ? {} : { scope };
  return await withKnowledgeBase(options, {}, async (kb) => {
    const way = zoomOut === undefined ? { neighbours } : { zoomOut: zoomOut === true ? 1 : zoomOut };
    const excerpt = await kb.expand(id, { ...way, ...where });
    if (excerpt === undefined) throw await noChunk(kb, id, scope);
    return await writeExcerpt(context, excerpt, await linksOf(kb, excerpt, options), options.raw);
  });
}

async function showDocument(context: Context, typed: string, options: ShowCommandOptions): Promise<number> {
  const { output } = context;
  const uris = await findUris(options, typed);
  return await withKnowledgeBase(options, {}, async (kb) => {
    const document = await findDocument(kb, uris, options.scope, {
      ...spanOf(options),
      ...(options.asOf !== undefined && { asOf: options.asOf }),
    });
    if (document === undefined) throw await noDocument(kb, typed, options.scope);
    const { uri, id, title, text, metadata } = document;
    if (options.versions === true) {
      await showVersions(output, uri, await kb.versions(uri, { scope: document.scope }));
      return 0;
    }
    if (options.suspicious === true) {
      await showSuspicious(output, document);
      return 0;
    }
    if (options.section !== undefined) return await showSection(context, kb, document, options.section, options);
    if (options.outline === true) {
      if (output.json) await output.object({ ...(await kb.outline(uri, { scope: document.scope })) });
      else await writeOutline(output, document);
    } else if (options.at !== undefined) {
      const { start, end } = options.at;
      const part = textAt(document, start, end);
      const links = options.links && linksIn(document, start, end);
      if (output.json) await output.object({ uri, start, end, text: part, ...(links && { links }) });
      else await (links ? writeLinks(output, links) : output.text(part, options.raw));
    } else {
      const links = options.links && linksIn(document);
      if (output.json) await output.object({ uri, documentId: id, title, text, metadata, ...(links && { links }) });
      else await (links ? writeLinks(output, links) : output.text(text, options.raw));
    }
    return 0;
  });
}

/** The whole section, without a limit on its length. */
async function showSection(
  context: Context,
  kb: KnowledgeBase,
  { uri, scope }: DocumentView,
  sectionId: string,
  options: ShowCommandOptions,
): Promise<number> {
  const excerpt = await kb.section(uri, sectionId, { scope, maxLength: Number.MAX_SAFE_INTEGER });
  if (excerpt !== undefined)
    return await writeExcerpt(context, excerpt, await linksOf(kb, excerpt, options), options.raw);
  const { root } = (await kb.document(uri, { scope, start: 0, end: 0 })) ?? {};
  const near = root === undefined ? [] : nearSections(root, sectionId);
  throw new IbidError("not-found", `${uri} has no section ${sectionId}.`, {
    uri,
    hint:
      near.length === 0
        ? `List its sections with: ibid show ${neutralise(uri)} --outline`
        : `Did you mean ${near.map(({ id, title }) => `--section ${id} (${neutralise(title)})`).join(", or ")}?`,
  });
}

/** The sections whose title was typed, or a title that differs in few letters; else the nearest one above the typed id. */
function nearSections(root: Section, typed: string): readonly Section[] {
  const sections: Section[] = [];
  const collect = (section: Section): void => {
    for (const child of section.children) {
      sections.push(child);
      collect(child);
    }
  };
  collect(root);
  const wanted = typed.trim().toLowerCase();
  const byTitle = sections.filter(({ title }) => isWithinEdits(title.toLowerCase(), wanted, wanted.length >> 2));
  if (byTitle.length > 0) return byTitle.slice(0, 3);
  return sections.filter(({ id }) => typed.startsWith(`${id}.`)).slice(-1);
}

/** Prints the text; a notice about a cut goes to standard error. */
async function writeExcerpt(
  { output, stderr }: Context,
  excerpt: Excerpt,
  links: readonly DocumentLink[] | undefined,
  raw = false,
): Promise<number> {
  if (output.json) {
    await output.object({ ...excerpt, ...(links && { links }) });
    return 0;
  }
  if (links !== undefined) {
    await writeLinks(output, links);
    return 0;
  }
  await output.text(excerpt.text, raw);
  if (excerpt.truncated) {
    const { uri, sectionId, text, whole } = excerpt;
    const shown = `${text.length.toLocaleString("en")} of ${(whole.end - whole.start).toLocaleString("en")} characters`;
    stderr.write(`\n[TRUNCATED: ${shown}; all of it: ibid show ${neutralise(uri)} --section ${sectionId}]\n`);
  }
  return 0;
}

/** `undefined` without `--links`. */
async function linksOf(
  kb: KnowledgeBase,
  { uri, scope, start, end }: Excerpt,
  { links }: ShowCommandOptions,
): Promise<readonly DocumentLink[] | undefined> {
  const document = links === true ? await kb.document(uri, { scope }) : undefined;
  return document && linksIn(document, start, end);
}

async function writeLinks(output: Output, links: readonly DocumentLink[]): Promise<void> {
  for (const { text, url } of links) await output.line(`${neutralise(url)}  ${output.style.dim(neutralise(text))}`);
}

/** The part of the text that is printed; everything where links or suspicions are looked for. */
function spanOf({ at, outline, section, links, suspicious }: ShowCommandOptions): object {
  if (links === true || suspicious === true) return {};
  if (outline === true || section !== undefined) return { start: 0, end: 0 };
  // One character more on both sides tells whether a surrogate pair is cut.
  return at === undefined ? {} : { start: Math.max(0, at.start - 1), end: Math.max(at.start, at.end) + 1 };
}

async function findDocument(
  kb: KnowledgeBase,
  uris: readonly string[],
  scope: Scope | undefined,
  span: object,
): Promise<DocumentView | undefined> {
  for (const uri of uris) {
    const document = await kb.document(uri, scope === undefined ? span : { scope, ...span });
    if (document !== undefined) return document;
  }
  return undefined;
}

/** The text from `start` to `end`. **Errors** `invalid-argument` out of range, or through a surrogate pair. **Units** UTF-16 code units. */
function textAt({ uri, text, start: origin, length }: DocumentView, start: number, end: number): string {
  if (start > end || end > length) {
    const [first, last] = [start, end].map((position) => Math.min(position, length)).toSorted((a, b) => a - b);
    throw new IbidError("invalid-argument", `${uri} has no place ${start}:${end}; it is ${length} characters long.`, {
      uri,
      hint:
        first === last
          ? `Give START:END with 0 <= START <= END <= ${length}.`
          : `Did you mean --at ${first}:${last}? It needs 0 <= START <= END <= ${length}.`,
    });
  }
  for (const position of [start, end]) {
    if (!isInsidePair(text, position - origin)) continue;
    throw new IbidError("invalid-argument", `Position ${position} of ${uri} is inside a surrogate pair.`, {
      uri,
      hint: `Use ${position - 1} or ${position + 1}.`,
    });
  }
  return text.slice(start - origin, end - origin);
}

function isInsidePair(text: string, position: number): boolean {
  if (position === 0 || position >= text.length) return false;
  const before = text.charCodeAt(position - 1);
  const after = text.charCodeAt(position);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

async function writeOutline(output: Output, { title, root }: DocumentView): Promise<void> {
  const { bold, dim } = output.style;
  await output.line(bold(neutralise(title)));
  const write = async (section: Section, depth: number): Promise<void> => {
    const { id, title, start, end } = section;
    await output.line(`${"  ".repeat(depth)}${neutralise(title)}  ${dim(`${start}:${end}  ${id}`)}`);
    for (const child of section.children) await write(child, depth + 1);
  };
  for (const child of root.children) await write(child, 1);
}

/** `ibid show --versions`: one version a line, latest first. */
async function showVersions(output: Output, uri: string, versions: readonly DocumentVersion[]): Promise<void> {
  if (output.json) {
    await output.object({ uri, versions });
    return;
  }
  for (const { from, to = "now", title, chunks, bytes } of versions) {
    const facts = output.style.dim(`${count(chunks, "chunk")}, ${count(bytes, "byte")}`);
    await output.line(`${from} to ${to}  ${neutralise(title)}  ${facts}`);
  }
}

/** `ibid show --suspicious`: text that addresses models rather than readers, one finding a line, its place first. */
export async function showSuspicious(output: Output, { uri, text }: DocumentView): Promise<void> {
  const suspicions = findSuspicious(text);
  if (output.json) {
    await output.object({ uri, suspicions });
    return;
  }
  const { dim } = output.style;
  for (const suspicion of suspicions) {
    const { kind, start, end } = suspicion;
    await output.line(
      `${`${start}:${end}`.padEnd(14)} ${kind.padEnd(10)} ${dim(neutralise(showSuspicion(suspicion)))}`,
    );
  }
}

/** `ibid show` with its options and its help. */
export function addShowCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("show")
    .summary("print a document, a part of it, or its outline")
    .description("Print a document's text, a part of it, or its outline.")
    .argument("[uri]", "as list prints it, or a path to it")
    .addOption(
      new Option("--outline", "print the sections with their places and ids").conflicts(["at", "section", "chunk"]),
    )
    .addOption(new Option("--section <id>", "print the section with this id of the outline").conflicts(["at", "chunk"]))
    .addOption(
      new Option("--at <START:END>", "print the text from START to END, counted in UTF-16")
        .argParser(readRange)
        .conflicts("chunk"),
    )
    .addOption(new Option("--links", "print the links instead of the text").conflicts("outline"))
    .addOption(
      new Option("--suspicious", "print text that addresses models rather than readers").conflicts([
        "outline",
        "section",
        "at",
        "chunk",
        "links",
      ]),
    )
    .addOption(
      new Option("--versions", "print its versions instead of the text; needs history").conflicts([
        "outline",
        "section",
        "at",
        "chunk",
        "links",
        "suspicious",
        "asOf",
      ]),
    )
    .option("--raw", "into a file or a pipe: print control characters as they are")
    .option("--chunk <id>", "print the chunk that a search found, without naming its document")
    .addOption(new Option("--neighbours <n>", "of a chunk: with this many before and after it").argParser(readCount))
    .addOption(
      new Option("--zoom-out [n]", "of a chunk: its section, or the n-th one up (default: 1)")
        .argParser(readDepth)
        .conflicts("neighbours"),
    )
    .addOption(
      new Option("--as-of <time>", "the text of that time, such as 2026-11-23; needs history").conflicts([
        "outline",
        "section",
        "chunk",
      ]),
    )
    .addOption(scopeOption())
    .addHelpText(
      "after",
      examples([
        "ibid show docs/keys.md",
        "ibid show docs/keys.md --outline",
        "ibid show docs/keys.md --section 0.1",
        "ibid show docs/keys.md --at 120:180",
        "ibid show docs/keys.md --versions",
        "ibid show --chunk 1f3a… --neighbours 2",
      ]),
    )
    .action(async function (this: Command, uri: string | undefined) {
      done(await show(context, uri, this.optsWithGlobals()));
    });
}
