import type { ReadInput } from "../../contracts/reader.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { type Archive, decodePath } from "./open-archive.ts";
import { unreadable } from "./refusals.ts";

/** Whether bytes are a package of Office in one XML file. */
export function isFlatPackage(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 4096)).replaceAll("\0", "");
  return head.includes("<") && head.includes("/office/2006/xmlPackage");
}

/**
 * Opens a package of Office that is one XML file (Flat OPC): its parts are elements, in XML or base64.
 *
 * **Errors** `unreadable` without a part, `too-large` beyond `maxParts`. **Cost** linear; the file once as text.
 * **Source** Microsoft, MS-OI29500 3.1; the namespace `http://schemas.microsoft.com/office/2006/xmlPackage`.
 */
export function openFlatPackage(input: Pick<ReadInput, "uri" | "bytes" | "limits">): Archive {
  const { uri, bytes } = input;
  const { maxParts } = limitsOf(input);
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const text = new TextDecoder(isWide ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8").decode(bytes);
  const prefix = /<(\w+:)package[\s>]/u.exec(text.slice(0, 4096))?.[1] ?? "";
  const parts = new Map<string, { readonly from: number; readonly to: number }>();
  const opening = new RegExp(`<${prefix}part\\s([^>]*)>`, "gu");
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const end = text.indexOf(`</${prefix}part>`, opening.lastIndex);
    const name = /(?:^|\s|:)name\s*=\s*["']\/?([^"']*)["']/u.exec(match[1] ?? "")?.[1];
    if (end === -1 || name === undefined) break;
    if (parts.size >= maxParts) throw overLimit(uri, "maxParts", maxParts);
    if (!parts.has(fold(name))) parts.set(fold(name), { from: opening.lastIndex, to: end });
    opening.lastIndex = end;
  }
  if (parts.size === 0) throw unreadable(uri, "is a package in one XML file without a part");
  const read = (name: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const part = parts.get(fold(name));
    if (part === undefined) return Promise.resolve(undefined);
    const inner = (tag: string): string | undefined => {
      const start = text.indexOf(`<${prefix}${tag}`, part.from);
      const from = start === -1 || start > part.to ? -1 : text.indexOf(">", start) + 1;
      return from <= 0 ? undefined : text.slice(from, text.lastIndexOf(`</${prefix}${tag}>`, part.to));
    };
    const binary = inner("binaryData");
    return Promise.resolve(
      binary === undefined
        ? new TextEncoder().encode(inner("xmlData") ?? "")
        : new Uint8Array(Buffer.from(binary.replace(/\s+/gu, ""), "base64")),
    );
  };
  return {
    uri,
    names: [...parts.keys()],
    has: (name) => parts.has(fold(name)),
    read,
    files: [],
  };
}

function fold(name: string): string {
  return decodePath(name).toLowerCase();
}
