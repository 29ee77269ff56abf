import type { TextDocument } from "../contracts/document.ts";
import { hashParts } from "../runtime/hash.ts";

/** A bare text as a document: named after its hash, one section, no blocks. */
export function createTextDocument(text: string): TextDocument {
  const id = hashParts("text", text);
  return {
    type: "text",
    id,
    uri: `text:${id}`,
    title: "",
    mediaType: "text/plain",
    text,
    metadata: {},
    origin: "user-content",
    root: { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
    sourceMap: { lines: "text" },
  };
}
