import type { OcrProvider } from "../../contracts/extraction.ts";
import type { Reader } from "../../contracts/reader.ts";
import type { TesseractOptions } from "../../readers/ocr/tesseract-ocr.ts";

export type { OcrProgress } from "../../readers/ocr/tesseract-ocr.ts";

/** The option `reading.ocr`. */
export type OcrOption = string | TesseractOptions | OcrProvider;

/** Readers that recognise text, until they are closed. */
export interface OcrReaders {
  readonly readers: readonly Reader[];
  close(): Promise<void>;
}

/** Readers of PDF and of pictures with text recognition, by the option `reading.ocr`. **Errors** as `openTesseractOcr`. */
export async function openOcr(given: OcrOption | undefined): Promise<OcrReaders> {
  if (given === undefined) return { readers: [], close: () => Promise.resolve() };
  const [{ createPdfReader }, { createImageReader }, { openTesseractOcr }] = await Promise.all([
    import("../../readers/pdf/pdf-reader.ts"),
    import("../../readers/ocr/image-reader.ts"),
    import("../../readers/ocr/tesseract-ocr.ts"),
  ]);
  const isProvider = typeof given === "object" && "extractText" in given;
  const opened = isProvider
    ? undefined
    : await openTesseractOcr(typeof given === "string" ? { languages: given } : given);
  const ocr = isProvider ? given : opened!;
  return {
    readers: [createPdfReader({ ocr }), createImageReader({ ocr })],
    close: async () => opened?.close(),
  };
}
