import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findPackage } from "../../runtime/packages.ts";
import { pathToFileURL } from "node:url";

/** Package with the character maps of East Asian encodings that a PDF only names (`90ms-RKSJ-H`). */
export const mapsPackage = "pdfjs-dist";

/**
 * The folder of the character maps, when their package is installed beside ibid or in the project. **Shape** `undefined` without it.
 *
 * They are 1.7 MB among 40 MB of package, so nobody gets them who does not ask. Only the maps are read; the program in it is never loaded.
 */
export function findCharacterMaps(
  places: readonly string[] = [import.meta.url, pathToFileURL(join(process.cwd(), "package.json")).href],
): string | undefined {
  const manifest = findPackage(`${mapsPackage}/package.json`, places);
  return manifest === undefined ? undefined : join(dirname(manifest), "cmaps");
}

/** Settings of PDF.js for maps from `folder`, and from nowhere else. */
export function characterMapSettings(folder: string): object {
  class CharacterMaps {
    async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
      if (kind !== "cMapUrl" || !/^[\w-]+\.bcmap$/u.test(filename)) throw new Error(`No ${kind} is given.`);
      return new Uint8Array(await readFile(join(folder, filename)));
    }
  }
  // Its own way would ask the network stack for a file, which Node refuses.
  return { BinaryDataFactory: CharacterMaps, cMapUrl: "cmaps/", cMapPacked: true, useWorkerFetch: false };
}
