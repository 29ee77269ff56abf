import { IbidError } from "../../contracts/errors.ts";

/** Files of the page, below the address of the service. All are one level deep, so that the page works below any path. */
export const pageFileNames = [
  "index.html",
  "page.css",
  "page.js",
  "page-sign-in.js",
  "page-shared.js",
  "page-view.js",
  "page-markdown.js",
  "page-de.js",
  "page-ar.js",
  "page-upload.js",
  "page-notes.js",
  "page-care.js",
  "page-about.js",
  "page-frame.js",
  "page-picture.js",
  "page-pdf.js",
  "page-pdf-worker.js",
] as const;

/** Name of a file of the page. */
export type PageFileName = (typeof pageFileNames)[number];

/** A file of the page, compressed with gzip. */
export async function loadPageFile(name: PageFileName): Promise<Uint8Array<ArrayBuffer>> {
  let files: Readonly<Record<string, string>>;
  try {
    if (name === "page-pdf.js") ({ files } = await import("./built/pdf.mjs"));
    else if (name === "page-pdf-worker.js") ({ files } = await import("./built/pdf-worker.mjs"));
    else ({ files } = await import("./built/app.mjs"));
  } catch (cause) {
    throw new IbidError("configuration-missing", "The files of the page are not built.", {
      hint: "Run npm run build:page in the sources of ibid; the package has them.",
      cause,
    });
  }
  const text = files[name];
  if (text === undefined) throw new IbidError("internal", `The page has no file ${name}.`);
  return decode(text);
}

/** Bytes of base64. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text);
  const decoded = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) decoded[at] = bytes.charCodeAt(at);
  return decoded;
}
