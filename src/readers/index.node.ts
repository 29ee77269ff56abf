/** `ibid/readers` on Node. */
export * from "./index.ts";
export { createCodeReader } from "./code/code-reader.ts";
export { createReaders } from "./create-readers.ts";
export { createFeedReader } from "./feed/feed-reader.ts";
export { createHtmlReader, type HtmlReaderOptions } from "./html/html-reader.ts";
export { createMailReader } from "./mail/mail-reader.ts";
export { createMboxReader } from "./mail/mbox-reader.ts";
export { createMarkdownReader } from "./markdown/markdown-reader.ts";
export { createXlsxReader } from "./office/xlsx-reader.ts";
export { type ConverterOptions, createConverterReader } from "./converter/converter-reader.ts";
export { createImageReader } from "./ocr/image-reader.ts";
export { type OcrProgress, openTesseractOcr, type TesseractOptions } from "./ocr/tesseract-ocr.ts";
export { createPdfReader } from "./pdf/pdf-reader.ts";
export { createXlsReader } from "./sheets/xls-reader.ts";
export { buildViewTree } from "./display/build-view-tree.ts";
export type { ViewBlock, ViewedDocument, ViewRow, ViewRun, ViewStyle } from "./display/view-tree.ts";
export { locateOnPages, type MarkedPage, type PageBox, readPdfGeometry } from "./pdf/pdf-geometry.ts";
export type { PdfGeometry, PlacedText } from "./pdf/place-line.ts";
