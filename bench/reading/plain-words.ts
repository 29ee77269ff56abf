import { unzipSync } from "fflate";

/** The words of a file as a plain look at it shows them, without structure: what a reader may not lose. `""` for formats that this does not know. */
export async function plainWords(name: string, bytes: Uint8Array): Promise<string> {
  const ending = /\.([^.]+)$/u.exec(name)?.[1]?.toLowerCase() ?? "";
  const decode = (part: Uint8Array | undefined): string => new TextDecoder().decode(part);
  if (ending === "pdf") {
    const { extractText } = await import("unpdf");
    return extractText(bytes.slice(), { mergePages: true }).then(
      ({ text }) => text,
      () => "",
    );
  }
  if (/^(?:docx|pptx|xlsx)$/u.test(ending)) {
    const members = unzipSync(bytes, {
      filter: (file) => /(?:document|slide\d+|sharedStrings)\.xml$/u.test(file.name),
    });
    return Object.entries(members)
      .filter(([path]) => !/slideLayout|slideMaster/u.test(path))
      .flatMap(([, part]) => decode(part).split(/<\/(?:w:p|a:p|si)>/u))
      .map((piece) =>
        [...piece.matchAll(/<(?:\w+:)?t(?: [^>]*)?>([^<]*)<|<w:(?:tab|br)\/>/gu)]
          .map(([, text]) => text ?? " ")
          .join(""),
      )
      .join("\n")
      .replace(/&(?:amp|lt|gt|quot|apos);/gu, (entity) => ({ "&amp;": "&", "&lt;": "<", "&gt;": ">" })[entity] ?? "'");
  }
  if (/^(?:md|txt|csv|json|ipynb)$/u.test(ending)) return decode(bytes);
  return "";
}
