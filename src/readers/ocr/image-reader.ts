import type { OcrProvider } from "../../contracts/extraction.ts";
import type { Reader } from "../../contracts/reader.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

/**
 * Reads pictures (PNG, JPEG, TIFF, WebP, GIF, BMP) by text recognition. The canonical text is laid out as that of a page.
 *
 * **Shape** pages in the source map, one for each picture of a TIFF, and the words with their places in `sourceMap.recognised`. Headings by size; the title is the
 * shown one, else the file name. A note names the provider.
 * **Errors** `empty` where nothing is recognised; those of the provider. **Cost** the provider's.
 *
 * @experimental
 */
export function createImageReader(options: { readonly ocr: OcrProvider }): Reader {
  checkGiven("createImageReader", "options", options, "object");
  checkOptions("createImageReader", options, { ocr: true });
  const { ocr } = options;
  checkGiven("createImageReader", "ocr", ocr, "object");
  return {
    name: `image/3+ocr:${ocr.name}`,
    accepts: (mediaType) => /^image\/(?:png|jpeg|tiff|webp|gif|bmp)$/u.test(mediaType),
    read: async (input) => (await import("../pdf/read-picture.ts")).readPicture(input, ocr),
  };
}
