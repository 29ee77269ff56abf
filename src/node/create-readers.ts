/**
 * What ibid reads on Node, in the order in which readers are asked. An edge: the one place that chooses them, for the knowledge base and for the worker that reads.
 */
import { createCodeReader } from "../adapters/code/code-reader.ts";
import { createFeedReader } from "../adapters/feed/feed-reader.ts";
import { createHtmlReader } from "../adapters/html/html-reader.ts";
import { createMailReader } from "../adapters/mail/mail-reader.ts";
import { createMboxReader } from "../adapters/mail/mbox-reader.ts";
import { createMarkdownReader } from "../adapters/markdown/markdown-reader.ts";
import { createDocxReader } from "../adapters/office/docx-reader.ts";
import { createEpubReader } from "../adapters/office/epub-reader.ts";
import { createOdtReader } from "../adapters/office/odt-reader.ts";
import { createPptxReader } from "../adapters/office/pptx-reader.ts";
import { createXlsxReader } from "../adapters/office/xlsx-reader.ts";
import { createPdfReader } from "../adapters/pdf/pdf-reader.ts";
import { createXlsReader } from "../adapters/sheetjs/xls-reader.ts";
import type { Reader } from "../contracts/reader.ts";
import { csvReader } from "../documents/csv-reader.ts";
import { dataReader } from "../documents/data/data-reader.ts";
import { createNotebookReader } from "../documents/notebook/notebook-reader.ts";
import { plainTextReader } from "../documents/plain-text-reader.ts";

/** All built-in readers. **Cost** nothing: each loads its library when it reads its first file. */
export function createReaders(): readonly Reader[] {
  return [
    createMarkdownReader(),
    createHtmlReader(),
    createPdfReader(),
    createDocxReader(),
    createPptxReader(),
    createOdtReader(),
    createEpubReader(),
    createMailReader(),
    createMboxReader(),
    createFeedReader(),
    createCodeReader(),
    createXlsxReader(),
    createXlsReader(),
    csvReader,
    createNotebookReader(),
    dataReader,
    plainTextReader,
  ];
}
