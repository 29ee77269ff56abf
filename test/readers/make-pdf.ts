/** A line of text on a page, in points from the bottom left. */
export interface PdfTestLine {
  readonly text: string;
  readonly x?: number;
  readonly y: number;
  readonly size?: number;
}

export interface PdfTestOptions {
  /** Outline entries, each pointing to a page from 0; entries may nest. */
  readonly outline?: readonly PdfTestEntry[];
  readonly info?: string;
  /** Asks for a password that nobody knows. */
  readonly encrypted?: boolean;
}

export interface PdfTestEntry {
  readonly title: string;
  readonly page: number;
  readonly items?: readonly PdfTestEntry[];
}

/** A small PDF with a real cross-reference table: Helvetica, one content stream a page. */
export function makePdf(pages: readonly (readonly PdfTestLine[])[], options: PdfTestOptions = {}): Uint8Array {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const reserve = (): number => add("");
  const catalog = reserve();
  const pageTree = reserve();
  const font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  const pageIds = pages.map((lines) => {
    const stream = lines
      .map(
        ({ text, x = 72, y, size = 10 }) =>
          `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text.replace(/[\\()]/g, "\\$&")}) Tj ET`,
      )
      .join("\n");
    const content = add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    return add(
      `<< /Type /Page /Parent ${pageTree} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    );
  });
  const addEntries = (entries: readonly PdfTestEntry[], parent: number): string => {
    const ids = entries.map(() => reserve());
    for (const [index, { title, page, items = [] }] of entries.entries()) {
      const id = ids[index] ?? 0;
      const below = items.length > 0 ? addEntries(items, id) : "";
      const next = ids[index + 1];
      objects[id - 1] =
        `<< /Title (${title}) /Parent ${parent} 0 R /Dest [${pageIds[page] ?? 9999} 0 R /Fit]${next === undefined ? "" : ` /Next ${next} 0 R`}${below} >>`;
    }
    return ` /First ${ids[0]} 0 R /Last ${ids.at(-1)} 0 R /Count ${ids.length}`;
  };
  let outlines = "";
  if (options.outline !== undefined) {
    const root = reserve();
    objects[root - 1] = `<< /Type /Outlines${addEntries(options.outline, root)} >>`;
    outlines = ` /Outlines ${root} 0 R`;
  }
  objects[catalog - 1] = `<< /Type /Catalog /Pages ${pageTree} 0 R${outlines} /Lang (en-GB) >>`;
  objects[pageTree - 1] =
    `<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] >>`;
  const info = options.info === undefined ? "" : ` /Info ${add(`<< ${options.info} >>`)} 0 R`;
  const secret = "00".repeat(32);
  const encrypt =
    options.encrypted === true
      ? ` /Encrypt ${add(`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${secret}> /U <${secret}> >>`)} 0 R`
      : "";

  let file = "%PDF-1.4\n";
  const offsets = objects.map((body, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const xref = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root ${catalog} 0 R${info}${encrypt} /ID [<${secret}> <${secret}>] >>\nstartxref\n${xref}\n%%EOF\n`;
  return Uint8Array.from(file, (sign) => sign.charCodeAt(0));
}
