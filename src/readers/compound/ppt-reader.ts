import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads PowerPoint files before 2007 (PPT), from PowerPoint 97 on, as `createPptxReader` reads newer ones: slides in order, with tables and notes.
 *
 * **Shape** a section for each slide, titled by its title; slides as places. Metadata `slideCount`, and `author`, `createdAt`, `modifiedAt` when stated.
 * Whether a paragraph has a bullet is not read: paragraphs of a body stand by themselves.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`. **Cost** linear; memory for the file twice.
 * **Source** MS-PPT; MS-ODRAW; MS-CFB.
 */
export function createPptReader(): Reader {
  return {
    name: "ppt/4",
    accepts: (mediaType) => mediaType === "application/vnd.ms-powerpoint",
    read: async (input) => (await import("./read-ppt.ts")).readPpt(input),
  };
}
