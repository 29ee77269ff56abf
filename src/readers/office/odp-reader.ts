import type { Reader } from "../../contracts/reader.ts";

/**
 * Reads OpenDocument presentations (ODP) and templates as `createPptxReader` reads PowerPoint's: slides in order, with their notes.
 *
 * **Shape** a section for each slide, titled by its title; slides as places. Metadata `slideCount`, and `author`, `createdAt`, `modifiedAt` when stated.
 * **Errors** `encrypted`, `empty`, `unreadable`, `too-large`, `aborted`. **Cost** linear; memory for one slide.
 * **Source** OASIS OpenDocument 1.3, part 3, 10 (graphics) and 10.7 (presentations).
 */
export function createOdpReader(): Reader {
  return {
    name: "odp/5",
    accepts: (mediaType) =>
      /^application\/vnd\.oasis\.opendocument\.presentation(?:-template|-flat-xml)?$/.test(mediaType),
    read: async (input) => (await import("./read-odp.ts")).readOdp(input),
  };
}
