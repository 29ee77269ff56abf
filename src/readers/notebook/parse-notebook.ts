import { IbidError } from "../../contracts/errors.ts";

/** A cell as a reader sees it, whichever version of the format it was written in. */
export interface Cell {
  readonly kind: "markdown" | "code" | "raw" | "heading";
  readonly source: string;
  /** Level of a heading. */
  readonly level: number;
  readonly outputs: readonly Fields[];
}

export interface Notebook {
  readonly title: string;
  readonly author: string;
  /** Language of the kernel; `""` when it names none. */
  readonly language: string;
  readonly cells: readonly Cell[];
}

/** An object of the file, of which nothing is believed. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A notebook from its JSON.
 *
 * **Errors** `unreadable` for what is no JSON or has no cells. **Source** nbformat 4; 3, where cells are in worksheets, code is `input` and headings are cells.
 */
export function parseNotebook(text: string, uri: string): Notebook {
  const file = fieldsOf(parseJson(text, uri));
  const sheets = Array.isArray(file["worksheets"]) ? file["worksheets"].map(fieldsOf) : [file];
  const cells = sheets.flatMap((sheet) => listOf(sheet["cells"]));
  if (!sheets.some((sheet) => Array.isArray(sheet["cells"]))) throw noNotebook(uri, "it has no cells");
  const metadata = fieldsOf(file["metadata"]);
  const [author] = listOf(metadata["authors"]);
  return {
    title: textOf(metadata["title"]) || textOf(metadata["name"]),
    author: textOf(author?.["name"]),
    language:
      textOf(fieldsOf(metadata["language_info"])["name"]) ||
      textOf(fieldsOf(metadata["kernelspec"])["language"]) ||
      textOf(cells.find((cell) => cell["cell_type"] === "code")?.["language"]),
    cells: cells.map(toCell),
  };
}

function parseJson(text: string, uri: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noNotebook(uri, "it is not valid JSON", error);
  }
}

function noNotebook(uri: string, why: string, cause?: unknown): IbidError {
  return new IbidError("unreadable", `${uri} is not a notebook: ${why}.`, {
    hint: "Save it again from Jupyter, or rename it to .json to have it read as data.",
    uri,
    ...(cause === undefined ? {} : { cause }),
  });
}

function toCell(cell: Fields): Cell {
  const kind = cell["cell_type"];
  const level = cell["level"];
  return {
    kind: kind === "markdown" || kind === "code" || kind === "heading" ? kind : "raw",
    source: textOf(cell["source"] ?? cell["input"]),
    level: typeof level === "number" && level >= 1 ? Math.floor(level) : 1,
    outputs: listOf(cell["outputs"]),
  };
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** Text that may be written as a list of lines, each with its newline. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}
