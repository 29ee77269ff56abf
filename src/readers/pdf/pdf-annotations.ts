import type { getDocumentProxy } from "unpdf";

import { shownByAnnotations } from "./pdf-glyphs.ts";
import type { PdfMark, PdfTextItem } from "./pdf-runs.ts";

type PdfPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

/** Fields of an annotation that are read, as PDF.js names them. */
interface Annotation {
  readonly id?: string;
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly annotationFlags?: number;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly buttonValue?: string | null;
  readonly exportValue?: string;
  readonly multiLine?: boolean;
  readonly hasAppearance?: boolean;
  readonly options?: readonly { readonly exportValue?: string; readonly displayValue?: string }[];
  readonly defaultAppearanceData?: { readonly fontSize?: number };
  readonly contentsObj?: { readonly str?: string };
  readonly titleObj?: { readonly str?: string };
  readonly textContent?: readonly string[];
  readonly state?: string | null;
  readonly file?: { readonly filename?: unknown };
  readonly fileId?: unknown;
}

/** Text that stands on a page beside its content: values of forms, and words of annotators. */
export interface PdfAnnotations {
  /** Runs where the page shows them, each in a mark with the annotation's id. */
  readonly items: readonly (PdfTextItem | PdfMark)[];
  /** Comments that open when they are clicked, as sentences that say so. */
  readonly comments: readonly string[];
  /** Files that hang on the page. */
  readonly attached: readonly AttachedToPage[];
}

/** A file that hangs on a page; PDF.js gives its bytes by `id`. */
export interface AttachedToPage {
  readonly name: string;
  readonly id: unknown;
}

/** Flags of annotations that nobody sees. **Source** ISO 32000-1, 12.5.3: hidden, no view. */
const unseen = 0x02 | 0x20;
/** A page has no more; a file cannot ask for more. */
const maxAnnotations = 5000;
/** Longest value or comment. **Units** UTF-16 code units. */
const maxLength = 100_000;
const commenting = /^(?:Text|Highlight|Underline|StrikeOut|Squiggly|Caret|Stamp|Ink|Square|Circle|Line|Poly|FileAtt)/u;

/**
 * Reads the values of form fields, texts that annotators wrote on the page, and their comments.
 *
 * **Shape** a box or button is `[x]` or `[ ]`; a text on the page is `[Note: …]`. A comment is `[Comment by Ada: …]`.
 * Hidden fields and passwords are left out. **Source** ISO 32000-1, 12.5 (annotations) and 12.7 (forms).
 */
export async function readAnnotations(page: PdfPage, texts: readonly PdfTextItem[]): Promise<PdfAnnotations> {
  const all = (await page.getAnnotations().catch(() => [])) as readonly Annotation[];
  const items: (PdfTextItem | PdfMark)[] = [];
  const comments: string[] = [];
  const attached: AttachedToPage[] = [];
  const kept = all.slice(0, maxAnnotations);
  const drawn = kept.some(isOnlyDrawn) ? await shownByAnnotations(page) : undefined;
  for (const annotation of kept) {
    const { subtype = "", annotationFlags = 0, contentsObj, titleObj, state, id = "" } = annotation;
    if ((annotationFlags & unseen) !== 0) continue;
    if (subtype === "FileAttachment") attached.push({ name: attachedName(annotation.file), id: annotation.fileId });
    const said = (contentsObj?.str ?? "").slice(0, maxLength).trim();
    const lines =
      subtype === "Widget"
        ? ((isOnlyDrawn(annotation) ? drawn?.get(id) : undefined) ?? valueOf(annotation))
        : subtype === "FreeText"
          ? noteOf(annotation, said)
          : undefined;
    if (lines !== undefined && lines.length > 0)
      items.push({ type: "beginMarkedContentProps", id }, ...place(annotation, lines, texts), {
        type: "endMarkedContent",
      });
    else if (commenting.test(subtype) && said !== "" && !state) {
      const author = cleanLine((titleObj?.str ?? "").slice(0, 100)).trim();
      comments.push(`[Comment${author === "" ? "" : ` by ${author}`}: ${cleanLine(said)}]`);
    }
  }
  return { items, comments, attached };
}

/** The name of an attached file as one line, without its folders. */
export function attachedName(file: { readonly filename?: unknown } | undefined): string {
  const name = typeof file?.filename === "string" ? cleanLine(file.filename).replace(/^.*[\\/]/u, "") : "";
  return name.slice(0, 200).toWellFormed().trim() || "a file without a name";
}

function cleanLine(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- these are what is taken out
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F]/gu, "")
      .replace(/\s+/gu, " ")
      .toWellFormed()
  );
}

/** Lines of a field's value; none for an empty one. */
function valueOf(annotation: Annotation): readonly string[] | undefined {
  const { fieldType, fieldValue, password, checkBox, radioButton, buttonValue, exportValue, options = [] } = annotation;
  if (fieldType === "Btn") {
    if (checkBox !== true && radioButton !== true) return undefined;
    const on = checkBox === true ? exportValue : buttonValue;
    return [fieldValue !== "Off" && fieldValue !== "" && fieldValue === on ? "[x]" : "[ ]"];
  }
  if (password === true || (fieldType !== "Tx" && fieldType !== "Ch")) return undefined;
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value): value is string => typeof value === "string" && value.trim() !== "",
  );
  if (fieldType === "Ch") {
    const shown = values.map((value) => options.find((option) => option.exportValue === value)?.displayValue ?? value);
    return shown.length === 0 ? undefined : [shown.join(", ")];
  }
  return values.flatMap((value) => value.slice(0, maxLength).split(/\r\n?|\n/u));
}

/** Whether a field of text has no value that PDF.js knows, as a long one that is a stream, and a look of its own. **Source** ISO 32000-1, 12.7.4.3. */
function isOnlyDrawn({ subtype, fieldType, fieldValue, multiLine, password, hasAppearance }: Annotation): boolean {
  const isText = subtype === "Widget" && fieldType === "Tx" && multiLine === true && password !== true;
  return isText && hasAppearance === true && (fieldValue === "" || fieldValue === null);
}

function noteOf({ textContent = [] }: Annotation, said: string): readonly string[] | undefined {
  const lines = textContent.some((line) => line.trim() !== "") ? textContent : said.split(/\r\n?|\n/u);
  const kept = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (kept.length === 0) return undefined;
  return kept.map((line, i) => `${i === 0 ? "[Note: " : ""}${line}${i === kept.length - 1 ? "]" : ""}`);
}

/** Lines as runs within the annotation's rectangle, from its top; a single one on the line of the words beside it, else in the middle. */
function place(
  { rect = [], defaultAppearanceData, multiLine }: Annotation,
  lines: readonly string[],
  texts: readonly PdfTextItem[],
): PdfTextItem[] {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  const height = Math.max(1, top - bottom);
  const stated = defaultAppearanceData?.fontSize ?? 0;
  const size = Math.max(4, Math.min(stated > 0 ? stated : 10, (height / lines.length) * 0.8, 14));
  const isOne = lines.length === 1 && (multiLine !== true || height < size * 2.5);
  const middle = bottom + height / 2 - size * 0.35;
  const beside = isOne ? baselineBeside(texts, left, right, bottom, top) : undefined;
  return lines.map((str, index) => {
    const y = isOne ? (beside ?? middle) : top - size * (1 + index * 1.2);
    return {
      str,
      dir: "ltr",
      transform: [size, 0, 0, size, left + 2, y],
      width: Math.min(str.length * size * 0.5, Math.max(1, right - left - 4)),
      height: size,
      fontName: "",
    };
  });
}

/** The baseline of the nearest words to the left or right of a field, at its height. */
function baselineBeside(
  texts: readonly PdfTextItem[],
  left: number,
  right: number,
  bottom: number,
  top: number,
): number | undefined {
  let nearest = Infinity;
  let baseline: number | undefined;
  for (const { str, transform, width } of texts) {
    const [, , , , x = 0, y = 0] = transform;
    if (str.trim() === "" || y < bottom - 3 || y > top) continue;
    const distance = Math.max(left - (x + width), x - right);
    if (distance < -2 || distance >= nearest) continue;
    nearest = distance;
    baseline = y;
  }
  return baseline;
}
