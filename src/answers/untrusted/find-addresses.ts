/** A bare address, as chats and pages make links of it; what closes a sentence or bracket behind it is trimmed. **Source** GitHub's extended autolinks. */
export const bareAddress =
  /(?:(?:https?|ftps?|wss?):[\\/]+|\bwww\.)(?:[^\s<>()[\]"'`…，。；：！？、）」』】》]|\([^\s<>()[\]"'`…]*\))*/giu;

/** Where a link, a picture or a definition leads: behind `](` or `]:`. **Source** CommonMark 0.31, link destinations. */
export const destination =
  /\](?<kind>[(:])(?<space>\s*)(?<target><[^<>\n]*>|(?:\\\S|[^\s<>()\\]|\((?:\\\S|[^\s<>()\\])*\))+)/gu;

/** A tag that has attributes, of some 2,000 characters at most. */
export const tagWithAttributes =
  /<[a-z][\w:.-]*[\s/](?:(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^>"']){0,2000}|[^<>]{0,2000})>/giu;

/**
 * Every address that a text holds, as it stands there: bare, and as the destination of links.
 *
 * **Cost** linear.
 */
export function* findAddresses(text: string): Generator<string> {
  for (const [found] of text.matchAll(bareAddress)) yield trimAddress(found);
  for (const { groups } of text.matchAll(destination)) {
    const target = unwrap(groups?.["target"] ?? "");
    if (leadsElsewhere(target)) yield trimAddress(target);
  }
}

/** An address without what ends the sentence or the emphasis that it stands in. */
export function trimAddress(address: string): string {
  return address.replace(/[.,;:!?*_~]+$/u, "");
}

/** A destination without its angle brackets. */
export function unwrap(target: string): string {
  return target.startsWith("<") ? target.slice(1, -1).trim() : target;
}

/** Whether a destination, once decoded, names a scheme or a host: anything but a path. **Source** WHATWG URL, which skips tabs and newlines and takes `\` for `/`. */
export function leadsElsewhere(address: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/iu.test(decodeAddress(address));
}

const namedCharacters: Readonly<Record<string, string>> = {
  colon: ":",
  sol: "/",
  bsol: "\\",
  period: ".",
  amp: "&",
  Tab: "",
  NewLine: "",
};

/** Decodes a destination as a browser does: entities and escapes decoded, controls and spaces gone. **Source** CommonMark, HTML, WHATWG URL. */
export function decodeAddress(address: string): string {
  return address
    .replaceAll(
      /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?|&(\w+);/giu,
      (whole, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return namedCharacters[name] ?? whole;
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return code > 0x10ffff ? "" : String.fromCodePoint(code);
      },
    )
    .replaceAll(/\\(?=[!-/:-@[-`{-~])(?!\\)/gu, "")
    .replaceAll(/[\0-\x20\x7F]/gu, "");
}
