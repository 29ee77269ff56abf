import type { Metadata } from "../../contracts/metadata.ts";

import type { PdfDocument } from "./open-pdf.ts";

/** Metadata of a PDF; `title` is `""` when it has no useful one. **Source** ISO 32000-1, 14.3.3. */
export async function readInformation(pdf: PdfDocument, text: string): Promise<{ title: string; metadata: Metadata }> {
  const info = await pdf
    .getMetadata()
    .then(({ info }) => info as Readonly<Record<string, unknown>>)
    .catch((): Readonly<Record<string, unknown>> => ({}));
  const title = readString(info["Title"]).replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, "");
  const author = readString(info["Author"]);
  const language = readString(info["Language"]);
  const createdAt = readDate(info["CreationDate"]);
  const modifiedAt = readDate(info["ModDate"]);
  return {
    // A producer's name of a file is no title.
    title:
      /^(?:untitled|\(?anonymous\)?|(?:document|presentation|slide|book)\s?\d*|\S+\.(?:docx?|pptx?|xlsx?|indd|tex|dvi|pdf|qxd))$/i.test(
        title,
      )
        ? ""
        : title,
    metadata: {
      pageCount: pdf.numPages,
      ...(author === "" || /^\(?anonymous\)?$/i.test(author) ? {} : { author }),
      ...(isLanguageOf(language, text) ? { language } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(modifiedAt === undefined ? {} : { modifiedAt }),
    },
  };
}

/** Programs write their own language into every file; what is mostly in another script is not in it. */
function isLanguageOf(language: string, text: string): boolean {
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language)) return false;
  if (!/^(?:en|de|fr|es|it|pt|nl|sv|da|nb|no|fi|pl|cs|tr)\b/i.test(language)) return true;
  const sample = text.slice(0, 20_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return letters === 0 || (sample.match(/\p{sc=Latin}/gu)?.length ?? 0) >= letters / 2;
}

function readString(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 1000).toWellFormed() : "";
}

/** `2024-11-01T15:36:20+03:00` for `D:20241101153620+03'00'`. **Source** ISO 32000-1, 7.9.4. */
function readDate(value: unknown): string | undefined {
  const parts = /^D:(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:Z|([+-]\d{2})'?(\d{2}))?/.exec(readString(value));
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, zoneHour, zoneMinute] = parts;
  const zone = zoneHour === undefined ? "Z" : `${zoneHour}:${zoneMinute}`;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(date)) ? undefined : date;
}
