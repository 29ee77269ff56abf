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

import { readOutputs } from "./cell-output.ts";
import { parseNotebook } from "./parse-notebook.ts";

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
