/** The built-in readers on Node, in the order in which they are tried. This is the one place that lists them, for the knowledge base and for the worker. */
import { createCodeReader } from "./code/code-reader.ts";
import { createDocReader } from "./compound/doc-reader.ts";
import { createPptReader } from "./compound/ppt-reader.ts";
import { createMsgReader } from "./compound/msg-reader.ts";
import { createFeedReader } from "./feed/feed-reader.ts";
import { createHtmlReader } from "./html/html-reader.ts";
import { createMailReader } from "./mail/mail-reader.ts";
import { createMboxReader } from "./mail/mbox-reader.ts";
import { createMhtmlReader } from "./mail/mhtml-reader.ts";
import { createMarkdownReader } from "./markdown/markdown-reader.ts";
import { createMarkupReader } from "./markup/markup-reader.ts";
import { createSvgReader } from "./markup/svg-reader.ts";
import { createDocxReader } from "./office/docx-reader.ts";
import { createEpubReader } from "./office/epub-reader.ts";
import { createOdpReader } from "./office/odp-reader.ts";
import { createOdsReader } from "./office/ods-reader.ts";
import { createOdtReader } from "./office/odt-reader.ts";
import { createPptxReader } from "./office/pptx-reader.ts";
import { createXlsxReader } from "./office/xlsx-reader.ts";
import { createPdfReader } from "./pdf/pdf-reader.ts";
import { createRtfReader } from "./rtf/rtf-reader.ts";
import { createXlsReader } from "./sheets/xls-reader.ts";
import type { Reader } from "../contracts/reader.ts";
import { csvReader } from "./sheets/csv-reader.ts";
import { dataReader } from "./data/data-reader.ts";
import { createNotebookReader } from "./notebook/notebook-reader.ts";
import { plainTextReader } from "./text/plain-text-reader.ts";

/** All built-in readers. **Cost** nothing: each loads its library when it reads its first file. */
export function createReaders(): readonly Reader[] {
  return [
    createMarkdownReader(),
    createHtmlReader(),
    createMarkupReader(),
    createSvgReader(),
    createPdfReader(),
    createDocxReader(),
    createDocReader(),
    createPptxReader(),
    createPptReader(),
    createOdtReader(),
    createOdsReader(),
    createOdpReader(),
    createRtfReader(),
    createEpubReader(),
    createMailReader(),
    createMsgReader(),
    createMboxReader(),
    createMhtmlReader(),
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
