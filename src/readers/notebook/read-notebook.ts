import { IbidError } from "../../contracts/errors.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { codeBlocks } from "../text/code-blocks.ts";
import { composeDocument } from "../compose-document.ts";
import { decodeSource } from "../text/decode-source.ts";
import { fileNameOf } from "../file-name.ts";
import { findParagraphs } from "../text/plain-text-reader.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { canonicalize } from "../../text/canonical-text.ts";
import { fieldsOf, parseNotebook, textOf, type Fields } from "./parse-notebook.ts";

type PartResult = Pick<ReadResult, "text" | "root" | "blocks" | "sourceMap">;

/** Implements {@link createNotebookReader}. */
export async function readNotebook(input: ReadInput): Promise<ReadResult> {
  const { uri, bytes, charset, signal } = input;
  const notebook = parseNotebook(decodeSource(bytes, uri, charset), uri);
  const { maxParts, maxTextLength } = limitsOf(input);
  if (notebook.cells.length > maxParts) throw overLimit(uri, "maxParts", maxParts, notebook.cells.length);
  const document = composeDocument();
  let images = 0;
  for (const [index, { kind, source, level, outputs }] of notebook.cells.entries()) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const name = `cell ${index + 1}`;
    const text = canonicalize(source).toWellFormed();
    if (text.trim() !== "") {
      if (kind === "heading") document.heading(text, level);
      else if (kind === "code") document.part(name, codePart(text, notebook.language), 0);
      else
        document.part(name, kind === "markdown" ? await readMarkdown(text, name, input) : prosePart(text), 0, "open");
    }
    const output = readOutputs(outputs);
    images += output.images;
    if (output.text.trim() !== "") document.part(`${name} output`, codePart(output.text.trimEnd(), ""), 0);
    if (document.position > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
  }
  const composed = document.finish("");
  const title = notebook.title || firstHeading(composed) || fileNameOf(uri);
  return {
    ...composed,
    root: { ...composed.root, title },
    title,
    metadata: factsOf(notebook),
    ...(images === 0 ? {} : { notes: [noteOf(images)] }),
  };
}

function noteOf(images: number): string {
  return `${images} ${images === 1 ? "output of its cells is" : "outputs of its cells are"} not in the text: images, HTML or widgets.`;
}

function factsOf({ language, author }: { readonly language: string; readonly author: string }): Metadata {
  return {
    ...(language === "" ? {} : { programmingLanguage: language.toLowerCase().slice(0, 100).toWellFormed() }),
    ...(author === "" ? {} : { author: author.slice(0, 1000).toWellFormed() }),
  };
}

function firstHeading({ root }: Pick<ReadResult, "root">): string | undefined {
  return root.children.find(({ level }) => level === 1)?.title;
}

/** A Markdown cell by the reader of Markdown; as prose when there is none. Pictures written into it are not text. */
async function readMarkdown(source: string, name: string, { readPart }: ReadInput): Promise<PartResult> {
  const text = source.replace(/(\(data:[\w.+-]+\/[\w.+-]+);base64,[\w+/=\s]*(?=[)"])/gu, "$1");
  if (readPart === undefined) return prosePart(text);
  try {
    return await readPart({
      name,
      bytes: new TextEncoder().encode(text),
      mediaType: "text/markdown",
      charset: "utf-8",
    });
  } catch (error) {
    if (!IbidError.isInstance(error) || error.code === "aborted") throw error;
    return prosePart(text);
  }
}

function prosePart(text: string): PartResult {
  return { text, root: buildSections(text, "", []), blocks: findParagraphs(text), sourceMap: { lines: "text" } };
}

function codePart(source: string, language: string): PartResult {
  const text = source.trimEnd();
  return {
    text,
    root: buildSections(text, "", []),
    blocks: codeBlocks(text, [], language === "" ? undefined : language.toLowerCase()),
    sourceMap: { lines: "text" },
  };
}

/** More of what a cell wrote is a log; of it the beginning is kept. **Units** UTF-16 code units. */
const maxOutputLength = 10_000;

/** Output of a cell, and the number of parts that are not text. */
interface CellOutput {
  readonly text: string;
  readonly images: number;
}

/**
 * Reads a cell's outputs as a notebook shows them: streams, results, and errors without the colours of a terminal.
 *
 * **Shape** cut after 10,000 characters, with a last line about it. Images count, and so do HTML and widgets without plain text.
 */
function readOutputs(outputs: readonly Fields[]): CellOutput {
  let text = "";
  let images = 0;
  let isCut = false;
  for (const output of outputs) {
    const shown = showOutput(output);
    images += shown.images;
    // Streams come in pieces, in the middle of a line at times.
    const gap = text === "" || text.endsWith("\n") || output["output_type"] === "stream" ? "" : "\n";
    if (!isCut) text += gap + shown.text;
    isCut ||= text.length > maxOutputLength;
  }
  const clean = canonicalize(stripTerminal(text.slice(0, 2 * maxOutputLength))).toWellFormed();
  if (!isCut && clean.length <= maxOutputLength) return { text: clean, images };
  const kept = clean.slice(0, maxOutputLength).toWellFormed();
  return { text: `${kept}\n… (the rest of the output is left out)`, images };
}

function showOutput(output: Fields): CellOutput {
  switch (output["output_type"]) {
    case "stream":
      return { text: textOf(output["text"]), images: 0 };
    case "error":
    case "pyerr": {
      const { traceback } = output;
      const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === "string") : [];
      const short = [textOf(output["ename"]), textOf(output["evalue"])].filter((text) => text !== "").join(": ");
      return { text: lines.join("\n") || short, images: 0 };
    }
    default:
      return showBundle("data" in output ? fieldsOf(output["data"]) : output);
  }
}

/** The plainest of what stands for one result. Format 3 has `text` where 4 has `text/plain`. */
function showBundle(data: Fields): CellOutput {
  const plain = textOf(data["text/plain"] ?? data["text"]) || textOf(data["text/markdown"] ?? data["text/latex"]);
  const isPicture = Object.keys(data).some((type) => /^(?:image\/|png$|jpeg$|svg$|pdf$|application\/pdf)/.test(type));
  // `<Figure size 640x480 with 1 Axes>` stands for the picture.
  const text = isPicture && /^<[^<>\n]{0,200}>$/.test(plain.trim()) ? "" : plain;
  const isLost = text === "" && Object.keys(data).some((type) => /\/|^html$/.test(type));
  return { text, images: isPicture || isLost ? 1 : 0 };
}

/** Colours and cursor movements off; of a line that was written over, what was written last. */
function stripTerminal(text: string): string {
  // eslint-disable-next-line no-control-regex -- that is what terminals are told with
  const plain = text.replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/gu, "");
  return plain
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.slice(line.replace(/\r+$/u, "").lastIndexOf("\r") + 1))
    .join("\n");
}
