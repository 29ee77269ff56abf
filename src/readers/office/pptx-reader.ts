import type { Reader } from "../../contracts/reader.ts";

/** Media types of PowerPoint's presentations, shows, templates and their variants with macros. */
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
  "application/vnd.openxmlformats-officedocument.presentationml.template",
  "application/vnd.ms-powerpoint.presentation.macroenabled.12",
  "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
  "application/vnd.ms-powerpoint.template.macroenabled.12",
]);

/**
 * Reads presentations (PPTX), strict ones, shows, templates and macros included: slides in the order of the show.
 *
 * Each slide gives its title (`Slide 3` without one), and its texts in the order of its shapes, groups included, with bullets and automatic numbers. Tables and charts
 * are rows of `| a | b |`; diagrams give their words, pictures their alternative texts. The speaker's notes follow under `Notes`.
 * Footers, dates, slide numbers and comments are left out, and so is text of layouts. Hidden slides are read, and named in `notes`, which count the comments.
 *
 * **Shape** slides in the source map; a section of level 1 for each slide with text. The title comes from the first slide, the properties or the file name;
 * metadata `slideCount`, and `author`, `language`, `createdAt`, `modifiedAt` when stated.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for one slide and the text.
 * **Source** ISO/IEC 29500-1 (Office Open XML, PresentationML and DrawingML); Embabel's content readers, Ballerina's `TextDataLoader`.
 */
export function createPptxReader(): Reader {
  return {
    name: "pptx/3",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => (await import("./read-pptx.ts")).readPptx(input),
  };
}
