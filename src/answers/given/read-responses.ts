import type { GivenCitation } from "../../contracts/verification.ts";
import { type Fields, fieldOf, listOf, positionOf, textOf, toFields } from "./json-fields.ts";
import { placeSpan } from "./place-span.ts";

/** Text and citations of a response. */
export interface ReadResponse {
  readonly text: string;
  readonly citations: readonly GivenCitation[];
}

/** Texts of a response one after the other, and where the next one begins. */
function joinTexts(texts: readonly string[]): { readonly text: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let text = "";
  for (const one of texts) {
    starts.push(text.length);
    text += one;
  }
  return { text, starts };
}

/**
 * Reads a message of Anthropic's Messages API: text blocks, each with the citations of its whole text.
 *
 * **Shape** a message, or its `content`. `undefined` for anything else. **Source** Anthropic, "Citations" and "Search results", platform.claude.com/docs, read 2026-11-23:
 * `char_location`, `page_location`, `content_block_location`, `search_result_location` and `web_search_result_location`, each with `cited_text`.
 */
export function readAnthropic(value: unknown): ReadResponse | undefined {
  const blocks = listOf(Array.isArray(value) ? value : toFields(value)["content"]).filter(
    ({ type, text }) => type === "text" && typeof text === "string",
  );
  const isCited = blocks.some(({ citations }) => listOf(citations).some(isAnthropicCitation));
  const isMessage = toFields(value)["type"] === "message" && toFields(value)["role"] === "assistant";
  if (blocks.length === 0 || (!isCited && !isMessage)) return undefined;
  const { text, starts } = joinTexts(blocks.map((block) => String(block["text"])));
  return {
    text,
    citations: blocks.flatMap((block, index) => {
      const textStart = starts[index] ?? 0;
      const textEnd = textStart + String(block["text"]).length;
      return listOf(block["citations"]).map((citation) => ({ ...anthropicCitation(citation), textStart, textEnd }));
    }),
  };
}

export function isAnthropicCitation({ type, cited_text: quoted }: Fields): boolean {
  return typeof type === "string" && type.endsWith("_location") && typeof quoted === "string";
}

export function anthropicCitation(citation: Fields): GivenCitation {
  return {
    quote: textOf(citation["cited_text"]),
    uri: textOf(citation["source"]) ?? textOf(citation["url"]),
    title: textOf(citation["document_title"]) ?? textOf(citation["title"]),
  };
}

/**
 * Reads a response of Cohere's Chat API, version 2 or 1.
 *
 * **Shape** `message.citations` or `citations`, each with `start`, `end`, `text` and `sources` or `document_ids`. A source's text counts as quoted. `undefined` for anything else.
 * **Source** Cohere, "RAG citations", docs.cohere.com/docs/rag-citations, read 2026-11-23.
 */
export function readCohere(value: unknown): ReadResponse | undefined {
  const response = toFields(value);
  const message = "message" in response ? toFields(response["message"]) : response;
  const citations = listOf(message["citations"]);
  const contents = listOf(message["content"]);
  const texts =
    typeof message["text"] === "string"
      ? [message["text"]]
      : contents.map((content) => (typeof content["text"] === "string" ? content["text"] : ""));
  if (texts.length === 0 || citations.length === 0 || !citations.every(isCohereCitation)) return undefined;
  const { text, starts } = joinTexts(texts);
  const documents = listOf(response["documents"]);
  return {
    text,
    citations: citations.flatMap((citation) => {
      const at = positionOf(fieldOf(citation, "contentIndex")) ?? 0;
      return cohereCitations(citation, texts[at] ?? "", documents).map(({ textStart, textEnd, ...rest }) => ({
        ...rest,
        textStart: textStart === undefined ? undefined : textStart + (starts[at] ?? 0),
        textEnd: textEnd === undefined ? undefined : textEnd + (starts[at] ?? 0),
      }));
    }),
  };
}

export function isCohereCitation(citation: Fields): boolean {
  const names = Array.isArray(citation["sources"]) || Array.isArray(fieldOf(citation, "documentIds"));
  return names && typeof citation["text"] === "string" && positionOf(citation["start"]) !== undefined;
}

export function cohereCitations(
  citation: Fields,
  text: string,
  documents: readonly Fields[],
): readonly GivenCitation[] {
  const words = textOf(citation["text"]);
  const span = placeSpan(text, positionOf(citation["start"]), positionOf(citation["end"]), {
    unit: "code-points",
    words,
  });
  const ids = fieldOf(citation, "documentIds");
  const sources = Array.isArray(ids)
    ? ids.map((id) => documents.find((document) => document["id"] === id) ?? { id: id as unknown })
    : listOf(citation["sources"]).map((source) => ({
        id: source["id"],
        ...toFields(source["document"]),
        ...toFields(fieldOf(source, "toolOutput")),
      }));
  return sources.map((source: Fields) => ({
    quote: ["snippet", "text", "content"].map((name) => textOf(source[name])).find((one) => one !== undefined),
    uri: textOf(source["url"]) ?? textOf(source["uri"]),
    title: textOf(source["title"]) ?? textOf(source["id"]),
    textStart: span?.[0],
    textEnd: span?.[1],
  }));
}

/**
 * Reads a response of OpenAI's APIs: Responses, Assistants, or Chat Completions with web search.
 *
 * **Shape** `output[].content[].annotations`, `content[].text.annotations` or `choices[0].message.annotations`. A file is named by its file name, else its id. A
 * `file_citation` of Responses has one position, and no words. `undefined` for anything else.
 * **Source** OpenAI's API reference: `ResponseOutputText`, `MessageContentTextAnnotations*` and chat `annotations`, read 2026-11-23.
 */
export function readOpenAi(value: unknown): ReadResponse | undefined {
  const response = toFields(value);
  const choice = toFields(listOf(response["choices"])[0]?.["message"]);
  const items = Array.isArray(response["output"]) ? listOf(response["output"]) : [response];
  const parts = typeof choice["content"] === "string" ? [choice] : items.flatMap((item) => listOf(item["content"]));
  const read = parts.flatMap((part) => {
    const inner = typeof part["text"] === "object" ? toFields(part["text"]) : part;
    const text = inner["value"] ?? inner["text"] ?? inner["content"];
    const isOurs = part["type"] === "output_text" || Array.isArray(inner["annotations"]) || part === choice;
    return typeof text === "string" && isOurs ? [{ text, annotations: listOf(inner["annotations"]) }] : [];
  });
  if (read.length === 0) return undefined;
  const { text, starts } = joinTexts(read.map((one) => one.text));
  const files = new Map(
    items.flatMap((item) =>
      listOf(item["results"]).map((file) => [file["file_id"], textOf(file["filename"])] as const),
    ),
  );
  return {
    text,
    citations: read.flatMap(({ text: own, annotations }, index) =>
      annotations.filter(isOpenAiCitation).map((annotation): GivenCitation => {
        const { textStart, textEnd, ...rest } = openAiCitation(annotation, own, files);
        const from = starts[index] ?? 0;
        return {
          ...rest,
          textStart: textStart === undefined ? undefined : textStart + from,
          textEnd: textEnd === undefined ? undefined : textEnd + from,
        };
      }),
    ),
  };
}

export function isOpenAiCitation({ type }: Fields): boolean {
  return type === "file_citation" || type === "url_citation" || type === "container_file_citation";
}

/** A link in Markdown, in parentheses or not: with web search, the model writes its citation into the text. */
const writtenLink = /^\(?\[[^\]]*\]\([^)\s]*\)\)?$/u;

export function openAiCitation(
  annotation: Fields,
  text: string,
  files: ReadonlyMap<unknown, string | undefined> = new Map(),
): GivenCitation {
  const inner = { ...annotation, ...toFields(annotation[String(annotation["type"])]) };
  const words = typeof annotation["text"] === "string" ? annotation["text"] : undefined;
  const index = positionOf(annotation["index"]);
  const span =
    placeSpan(text, positionOf(inner["start_index"]), positionOf(inner["end_index"]), { unit: "code-points", words }) ??
    (index === undefined ? undefined : ([Math.min(index, text.length), Math.min(index, text.length)] as const));
  const written = span && text.slice(...span);
  const marker = words ?? (written !== undefined && writtenLink.test(written) ? written : undefined);
  return {
    marker: marker === undefined || marker.trim() === "" ? undefined : marker,
    quote: textOf(inner["quote"]),
    uri: textOf(inner["url"]),
    title:
      textOf(inner["filename"]) ?? files.get(inner["file_id"]) ?? textOf(inner["title"]) ?? textOf(inner["file_id"]),
    textStart: span?.[0],
    textEnd: span?.[1],
  };
}

/**
 * Reads a response of Vertex AI: Gemini's grounding metadata, or the grounding check of Vertex AI Search.
 *
 * **Shape** `candidates[0].groundingMetadata` with `groundingSupports` and `groundingChunks`; or `claims` with `citationIndices` and `citedChunks`. The check's response
 * lacks the answer: its claims in order stand for it, unless `answerCandidate` is there too. The text of a chunk counts as quoted.
 * **Units** positions are bytes of UTF-8. **Source** Google Cloud's references of `GroundingSupport`, `Segment` and `CheckGroundingResponse`, read 2026-11-23.
 */
export function readVertex(value: unknown): ReadResponse | undefined {
  const response = toFields(value);
  if (Array.isArray(response["claims"])) return readGroundingCheck(response);
  const candidate = listOf(response["candidates"])[0] ?? response;
  const metadata = toFields(fieldOf(candidate, "groundingMetadata"));
  const supports = listOf(fieldOf(metadata, "groundingSupports"));
  const parts = listOf(toFields(candidate["content"])["parts"]);
  if (parts.length === 0 || !("groundingMetadata" in candidate || "grounding_metadata" in candidate)) return undefined;
  const texts = parts.map((part) => (typeof part["text"] === "string" ? part["text"] : ""));
  const { text, starts } = joinTexts(texts);
  const chunks = listOf(fieldOf(metadata, "groundingChunks")).map((chunk) =>
    chunkCitation(toFields(fieldOf(chunk, "retrievedContext") ?? chunk["web"])),
  );
  return {
    text,
    citations: supports.flatMap((support) => {
      const segment = toFields(support["segment"]);
      const part = positionOf(fieldOf(segment, "partIndex")) ?? 0;
      const span = spanOf(texts[part] ?? "", segment, "startIndex", "endIndex", "text");
      return citedChunks(fieldOf(support, "groundingChunkIndices"), chunks, span, starts[part] ?? 0);
    }),
  };
}

function readGroundingCheck(response: Fields): ReadResponse | undefined {
  const claims = listOf(response["claims"]);
  const wholeText = textOf(fieldOf(response, "answerCandidate"));
  const said = claims.map((claim) => textOf(fieldOf(claim, "claimText")) ?? "");
  const text = wholeText ?? said.join(" ");
  if (claims.length === 0 || text.trim() === "") return undefined;
  const chunks = listOf(fieldOf(response, "citedChunks")).map(chunkCitation);
  let at = 0;
  return {
    text,
    citations: claims.flatMap((claim, index) => {
      const words = said[index] ?? "";
      const own = wholeText === undefined ? ([at, at + words.length] as const) : undefined;
      at += words.length + 1;
      const span = own ?? spanOf(text, claim, "startPos", "endPos", "claimText");
      return citedChunks(fieldOf(claim, "citationIndices"), chunks, span, 0);
    }),
  };
}

function spanOf(
  text: string,
  fields: Fields,
  from: string,
  to: string,
  words: string,
): readonly [number, number] | undefined {
  const [start, end] = [positionOf(fieldOf(fields, from)), positionOf(fieldOf(fields, to))];
  return placeSpan(text, start, end, { unit: "bytes", words: textOf(fieldOf(fields, words)) });
}

function chunkCitation(chunk: Fields): GivenCitation {
  return {
    quote: textOf(fieldOf(chunk, "chunkText")) ?? textOf(chunk["text"]),
    uri: textOf(chunk["uri"]),
    title: textOf(chunk["title"]) ?? textOf(chunk["source"]),
  };
}

function citedChunks(
  indices: unknown,
  chunks: readonly GivenCitation[],
  span: readonly [number, number] | undefined,
  offset: number,
): readonly GivenCitation[] {
  const numbers = Array.isArray(indices) ? (indices as readonly unknown[]) : [];
  return numbers.flatMap((number) => {
    const chunk = chunks[Number(number)];
    return chunk === undefined
      ? []
      : [{ ...chunk, textStart: span && span[0] + offset, textEnd: span && span[1] + offset }];
  });
}

/**
 * Reads a message of the AI SDK: its text parts, and the sources behind each; or a result with `text` and `sources`.
 *
 * Sources behind a text part belong to that part. Where the text has numbers in square brackets, source `n` is `[n]`. ibid's own `data-citation` parts have markers.
 *
 * **Shape** a `UIMessage`, the last assistant's message of a list, its `parts`, or a result of `generateText`. `undefined` for anything else.
 * **Source** `UIMessage` and `LanguageModelV4Source` of the package `ai` 7.0, read 2026-11-23; cited words stand in `providerMetadata` or in a text part's `citations`.
 */
export function readAiSdk(value: unknown): ReadResponse | undefined {
  const message = Array.isArray(value)
    ? (listOf(value).findLast(({ role }) => role === "assistant") ?? {})
    : toFields(value);
  const given = Array.isArray(value) && !("parts" in message) ? value : message["parts"];
  const isResult = typeof message["text"] === "string" && Array.isArray(message["sources"]);
  const parts = isResult ? [{ type: "text", text: message["text"] }, ...listOf(message["sources"])] : listOf(given);
  if (!parts.some(({ type, text }) => type === "text" && typeof text === "string")) return undefined;
  const isKnown = isResult || "parts" in message || parts.some(isAiSdkSource);
  if (!isKnown) return undefined;
  let text = "";
  let last: readonly [number, number] | undefined;
  const citations: GivenCitation[] = [];
  const add = (citation: GivenCitation): void =>
    void citations.push({ ...citation, textStart: last?.[0], textEnd: last?.[1] });
  const marked = parts.filter(({ type }) => type === "data-citation").map(({ data }) => aiSdkMarked(toFields(data)));
  for (const part of parts) {
    if (part["type"] === "text" && typeof part["text"] === "string") {
      last = [text.length, text.length + part["text"].length];
      text += part["text"];
      for (const { source, citedText } of listOf(part["citations"]))
        add({ ...aiSdkSource(toFields(source)), quote: textOf(citedText) });
    } else if (isAiSdkSource(part)) add(aiSdkSource(part));
  }
  if (marked.length > 0) return { text, citations: marked };
  const isNumbered = /\[\d{1,3}\]/u.test(text);
  return {
    text,
    citations: isNumbered
      ? citations.map(({ quote, uri, title }, index) => ({ marker: `[${index + 1}]`, quote, uri, title }))
      : citations,
  };
}

export function isAiSdkSource({ type }: Fields): boolean {
  return type === "source-url" || type === "source-document" || type === "source";
}

export function aiSdkSource(source: Fields): GivenCitation {
  const metadata = Object.values(toFields(source["providerMetadata"])).map(toFields);
  const quotes = metadata.map((one) => textOf(fieldOf(one, "citedText")));
  return {
    quote: quotes.find((one) => one !== undefined),
    uri: textOf(source["url"]),
    title: textOf(source["filename"]) ?? textOf(source["title"]),
  };
}

function aiSdkMarked(data: Fields): GivenCitation {
  const { marker, quote, uri, title } = data;
  return { marker: textOf(marker), quote: textOf(quote), uri: textOf(uri), title: textOf(title) };
}
