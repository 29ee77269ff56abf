import type { Reader } from "../../contracts/reader.ts";

/** What PowerPoint's presentations, shows, templates and their kin with macros are called. */
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
  "application/vnd.openxmlformats-officedocument.presentationml.template",
  "application/vnd.ms-powerpoint.presentation.macroenabled.12",
  "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
  "application/vnd.ms-powerpoint.template.macroenabled.12",
]);

/**
 * Presentations (PPTX), also strict ones, shows, templates and those with macros: slides in the order in which they are shown.
 *
 * Of each slide its title (`Slide 3` when it has none), its texts in the order of its shapes, groups included, with bullets and automatic numbers; tables and charts
 * as rows of `| a | b |`, the words of diagrams, alternative texts of pictures; then, under `Notes`, what the speaker wrote below it.
 * Footers, dates, slide numbers and comments are left out, as is what only layouts say. Hidden slides are read, and named in `notes`, which count the comments.
 *
 * **Shape** slides in the source map; a section of level 1 for each slide with text; title from the first slide, else the properties or the file name;
 * metadata `slideCount`, and `author`, `language`, `createdAt`, `modifiedAt` when stated.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`.
 * **Cost** linear; memory for one slide and the text.
 * **Source** ISO/IEC 29500-1 (Office Open XML, PresentationML and DrawingML); Embabel's content readers, Ballerina's `TextDataLoader`.
 */
export function createPptxReader(): Reader {
  return {
    name: "pptx/1",
    accepts: (mediaType) => mediaTypes.has(mediaType),
    read: async (input) => (await import("./read-pptx.ts")).readPptx(input),
  };
}
