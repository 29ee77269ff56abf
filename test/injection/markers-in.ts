import { createMarkerScanner } from "../../src/text/untrusted/scan-markers.ts";

/** Whatever a person might take for a citation; what stands as code, as the answers' own scanner sees it, left out. */
export const markersIn = (text: string): string[] => {
  const scanner = createMarkerScanner();
  const found = [...scanner.push(text), ...scanner.finish()].flatMap((piece) =>
    piece.type === "marker" ? [piece.raw] : [],
  );
  // Told without the scanner, where there is no code.
  const alike = /[[【［〔❲] *(?:\p{Nd}{1,3}(?: *, *\p{Nd}{1,3})*|doc +\w+ *, *chunk +\d+ +of +\d+) *[\]】］〕❳]/giu;
  return text.includes("`") ? found : [...new Set([...found, ...(text.match(alike) ?? [])])];
};
