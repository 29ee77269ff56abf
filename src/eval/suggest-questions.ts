import type { Section } from "../contracts/document.ts";
import type { DocumentView, KnowledgeBase } from "../contracts/knowledge-base.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import type { Question } from "./questions.ts";

/**
 * Limits of what is suggested.
 *
 * @experimental
 */
export interface SuggestOptions {
  /** Only documents whose uri begins so. */
  readonly under?: string | undefined;
  /** Most questions of one document, spread over its sections. Default 3. */
  readonly perDocument?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Candidate questions, and the sections that gave none.
 *
 * @experimental
 */
export interface SuggestedQuestions {
  /** Without `line`: they stand in no file yet. */
  readonly questions: readonly Omit<Question, "line">[];
  readonly documents: number;
  /** Headings that name no topic, have no text of their own, or whose first sentence no chunk holds whole. */
  readonly passedOver: number;
}

/**
 * Headings that name a part of any document. **Source** our own choice, of how documents in English, German, French and Spanish name theirs.
 */
const noTopic =
  /^(?:introduction|intro|overview|summary|abstract|conclusions?|contents|table of contents|appendix(?: \w)?|references|bibliography|acknowledge?ments?|foreword|preface|about|index|glossary|notes?|see also|links?|further reading|resources|changelog|changes|history|licen[cs]e|examples?|usage|basic usage|getting started|quick ?start|installation|setup|requirements|prerequisites|background|discussion|results|method(?:s|ology)?|faq|general|misc(?:ellaneous)?|other|more|next steps?|what(?:'|’)s next|parameters|arguments|options|returns?|description|details|related(?: \w+)?|on their own|on its own|in a pipeline|chapter \d+|section \d+|part \d+|page \d+|einleitung|einführung|überblick|übersicht|zusammenfassung|inhalt(?:sverzeichnis)?|anhang|fazit|beispiele?|aperçu|résumé|sommaire|exemples?|annexes?|introducción|resumen|índice|ejemplos?|conclusión(?:es)?)$/iu;

/** A shorter or longer sentence is no quote. **Units** UTF-16 code units. */
const shortestQuote = 30;
const longestQuote = 240;

/**
 * Suggests questions from the headings of documents, for a person to correct. The words of a question are those of a heading, and nothing is made up.
 *
 * **Shape** by uri, then place. The expected quote is the first sentence below the heading that stands whole in a chunk; `note` names the place. A heading that
 * several sections have is joined with the title of its document, or with the heading above it. Headings that name no topic, such as "Introduction", are passed over.
 * **Cost** one listing, and the text and the chunks of each document.
 *
 * @experimental
 */
export async function suggestQuestions(
  kb: Pick<KnowledgeBase, "list" | "document" | "chunks">,
  options: SuggestOptions = {},
): Promise<SuggestedQuestions> {
  checkGiven("suggestQuestions", "kb", kb, "object", { list: "function", document: "function", chunks: "function" });
  checkOptions("suggestQuestions", options, { under: true, perDocument: true, signal: true });
  const { under = "", perDocument = 3, signal } = options;
  const candidates: Candidate[] = [];
  const counts = new Map<string, number>();
  let documents = 0;
  let passedOver = 0;
  for await (const { uri, scope } of kb.list()) {
    throwIfAborted(signal, "The suggestion of questions");
    if (!uri.startsWith(under)) continue;
    const view = await kb.document(uri, { scope });
    if (view === undefined) continue;
    documents++;
    const chunks: { readonly start: number; readonly end: number }[] = [];
    for await (const { chunk } of kb.chunks({ uri, scope })) chunks.push({ start: chunk.start, end: chunk.end });
    const own: Candidate[] = [];
    for (const { section, above } of topicsOf(view.root)) {
      const heading = onOneLine(section.title);
      const key = heading.toLowerCase();
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const quote = noTopic.test(withoutNumber(heading)) ? undefined : findQuote(view, section, chunks);
      if (quote === undefined) passedOver++;
      else own.push({ view, section, heading, above, quote });
    }
    candidates.push(...spread(own, perDocument));
  }
  const seen = new Set<string>();
  const questions = candidates.flatMap((one) => {
    const question = toQuestion(one, (counts.get(one.heading.toLowerCase()) ?? 0) > 1);
    if (seen.has(question.id)) return [];
    seen.add(question.id);
    return [question];
  });
  return { questions, documents, passedOver };
}

/**
 * Writes questions as `parseQuestions` reads them, one JSON object a line.
 *
 * @experimental
 */
export function formatQuestions(questions: readonly Omit<Question, "line">[]): string {
  checkGiven("formatQuestions", "questions", questions, "list", { quotes: "list" });
  return questions
    .map(({ id, question, kind, uri, quotes, pages = [], uris, spans, answerable, note }) => {
      const line = {
        id,
        question,
        kind,
        uri,
        quote: quotes.length > 1 ? quotes : quotes[0],
        page: pages.length > 1 ? pages : pages[0],
        uris,
        spans,
        answerable: answerable ? undefined : false,
        note,
      };
      return `${JSON.stringify(line)}\n`;
    })
    .join("");
}

interface Candidate {
  readonly view: DocumentView;
  readonly section: Section;
  readonly heading: string;
  /** The headings around it, outermost first. */
  readonly above: readonly string[];
  readonly quote: { readonly text: string; readonly start: number };
}

/** Sections with a heading of their own, in reading order. */
function* topicsOf(
  section: Section,
  above: readonly string[] = [],
): Generator<{ section: Section; above: readonly string[] }> {
  if (section.level > 0 && section.title.trim() !== "") yield { section, above };
  const inside = section.level === 0 ? above : [...above, onOneLine(section.title)];
  for (const child of section.children) yield* topicsOf(child, inside);
}

/** The first sentence of a section's own text that stands whole in one chunk, and in no mark. */
function findQuote(
  { text, sourceMap }: DocumentView,
  { contentStart, end, children }: Section,
  chunks: readonly { readonly start: number; readonly end: number }[],
): Candidate["quote"] | undefined {
  const ownEnd = Math.min(children[0]?.start ?? end, contentStart + 4000);
  const marks = sourceMap.marks ?? [];
  for (const { index, 0: paragraph } of text.slice(contentStart, ownEnd).matchAll(/\S(?:(?!\n[ \t]*\n)[\s\S])*/gu)) {
    // Tables, code, tags, lists and links to elsewhere are no sentence.
    if (/^(?:[|#<>`~{*+-]|import\s|export\s|:::|\d+[.)]\s|!?\[)/u.test(paragraph)) continue;
    const sentence = /^[\s\S]*?[.!?。！？](?=\s|$)/u.exec(paragraph)?.[0].trim() ?? "";
    if (sentence.length < shortestQuote || sentence.length > longestQuote) continue;
    const from = contentStart + index;
    const to = from + sentence.length;
    if (marks.some((mark) => mark.start < to && from < mark.end)) continue;
    if (chunks.some((chunk) => chunk.start <= from && to <= chunk.end)) return { text: sentence, start: from };
  }
  return undefined;
}

/** At most so many, evenly over the list, the first among them. */
function spread<Item>(list: readonly Item[], most: number): readonly Item[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, index) => list[Math.floor((index * list.length) / most)]!);
}

function toQuestion({ view, section, heading, above, quote }: Candidate, isShared: boolean): Omit<Question, "line"> {
  const { uri, title, sourceMap } = view;
  const around = [...above].reverse().find((one) => one !== heading && !noTopic.test(one)) ?? onOneLine(title);
  const page = (sourceMap.pages ?? sourceMap.slides)?.findLast(({ start }) => start <= quote.start)?.number;
  const place = [uri, ...(page === undefined ? [] : [`page ${page}`])].join(", ");
  return {
    id: `${uri}#${section.id}`,
    question: isShared && around !== heading && around !== "" ? `${heading} (${around})` : heading,
    kind: "heading",
    uri,
    quotes: [onOneLine(quote.text)],
    ...(page !== undefined && { pages: [page] }),
    answerable: true,
    note: `from the heading "${[...above, heading].join(" > ")}" of ${place}; write it as a person would ask`,
  };
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

const withoutNumber = (heading: string): string =>
  heading.replace(/^\d{1,3}(?:[.)]\d{1,3}){0,8}[.)]?\s+/u, "").replace(/[\s:.…]+$/u, "");
