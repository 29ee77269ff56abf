import { canonicalize } from "../../text/canonical-text.ts";

import { type Fields, fieldsOf, textOf } from "./parse-notebook.ts";

/** More of what a cell wrote is a log; of it the beginning is kept. **Units** UTF-16 code units. */
const maxOutputLength = 10_000;

/** Output of a cell, and the number of parts that are not text. */
export interface CellOutput {
  readonly text: string;
  readonly images: number;
}

/**
 * Reads a cell's outputs as a notebook shows them: streams, results, and errors without the colours of a terminal.
 *
 * **Shape** cut after 10,000 characters, with a last line about it. Images count, and so do HTML and widgets without plain text.
 */
export function readOutputs(outputs: readonly Fields[]): CellOutput {
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
