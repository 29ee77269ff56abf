import { lockPdf, type PdfTestProtection } from "./encrypt-pdf.ts";

/** A line of text on a page, in points from the bottom left. */
export interface PdfTestLine {
  readonly text: string;
  readonly x?: number;
  readonly y: number;
  readonly size?: number;
  /** Default: Helvetica. */
  readonly font?: "plain" | "bold" | "mono";
  /** **Units** degrees against the clock. */
  readonly angle?: number;
  /** Space behind each sign. **Units** points. */
  readonly spacing?: number;
  /** Gaps behind its signs, in their order. **Units** thousandths of the letter height. */
  readonly gaps?: readonly number[];
}

/** A level line on a page, in points from the bottom left. */
export interface PdfTestRule {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface PdfTestOptions {
  /** Lines of the first page. */
  readonly rules?: readonly PdfTestRule[];
  /** Files that hang on the document, by their names; content in Latin 1. */
  readonly attached?: Readonly<Record<string, string>>;
  /** Outline entries, each pointing to a page from 0; entries may nest. */
  readonly outline?: readonly PdfTestEntry[];
  readonly info?: string;
  readonly protection?: PdfTestProtection;
  /** How each page is turned. **Units** degrees, clockwise. */
  readonly rotate?: number;
  /** The structure tree; without one the file is not tagged. */
  readonly tags?: readonly PdfTestTag[];
  /** What codes stand for in Helvetica: `33 /f_f_i`. */
  readonly differences?: string;
  /** Pages, from 0, that hold a picture. */
  readonly pictures?: readonly number[];
}

export interface PdfTestEntry {
  readonly title: string;
  readonly page: number;
  readonly items?: readonly PdfTestEntry[];
}

export interface PdfTestTag {
  readonly role: string;
  /** Lines of the first page, by their index. */
  readonly lines?: readonly number[];
  readonly alt?: string;
  readonly children?: readonly PdfTestTag[];
}

const fonts = { plain: "Helvetica", bold: "Helvetica-Bold", mono: "Courier" } as const;
const names = { plain: "F1", bold: "F2", mono: "F3" } as const;

/** A small PDF with a real cross-reference table: standard fonts, one content stream a page. Letters of Latin 1. */
export function makePdf(pages: readonly (readonly PdfTestLine[])[], options: PdfTestOptions = {}): Uint8Array {
  const {
    outline,
    info,
    protection,
    rotate = 0,
    tags,
    pictures = [],
    differences = "",
    rules = [],
    attached = {},
  } = options;
  const id = new Uint8Array(16).fill(9);
  const lock = protection && lockPdf(protection, id);
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const reserve = (): number => add("");
  const addStream = (entries: string, content: string): number => {
    const number = reserve();
    const bytes = Uint8Array.from(content, (sign) => sign.charCodeAt(0));
    const sealed = lock?.encrypt(number, bytes) ?? bytes;
    const text = Array.from(sealed, (byte) => String.fromCharCode(byte)).join("");
    objects[number - 1] = `<< ${entries} /Length ${sealed.length} >>\nstream\n${text}\nendstream`;
    return number;
  };

  const catalog = reserve();
  const pageTree = reserve();
  const fontIds = Object.entries(fonts).map(([key, name]) => {
    const font = add(
      `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [${differences}] >> >>`,
    );
    return `/${names[key as keyof typeof names]} ${font} 0 R`;
  });
  const picture =
    pictures.length === 0
      ? ""
      : `/XObject << /Im ${addStream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "x")} 0 R >>`;
  const pageIds = pages.map((lines, page) => {
    const drawn = lines.map((line, index) => drawLine(line, tags === undefined || page > 0 ? undefined : index));
    if (pictures.includes(page)) drawn.push("q 600 0 0 700 0 0 cm /Im Do Q");
    if (page === 0) drawn.push(...rules.map(({ x, y, width }) => `${x} ${y} m ${x + width} ${y} l S`));
    const content = addStream("", drawn.join("\n"));
    return add(
      `<< /Type /Page /Parent ${pageTree} 0 R /MediaBox [0 0 612 792] /Rotate ${rotate} /Contents ${content} 0 R /Resources << /Font << ${fontIds.join(" ")} >> ${picture} >>${tags === undefined || page > 0 ? "" : " /StructParents 0"} >>`,
    );
  });
  const outlines = outline === undefined ? "" : ` /Outlines ${addOutline(outline)} 0 R`;
  const structure = tags === undefined ? "" : ` /MarkInfo << /Marked true >> /StructTreeRoot ${addStructure(tags)} 0 R`;
  const lang = lock === undefined ? " /Lang (en-GB)" : "";
  const files = Object.entries(attached).map(([name, content]) => {
    const stream = addStream("/Type /EmbeddedFile", content);
    return `(${name}) << /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${stream} 0 R >> >>`;
  });
  const hung = files.length === 0 ? "" : ` /Names << /EmbeddedFiles << /Names [${files.join(" ")}] >> >>`;
  objects[catalog - 1] = `<< /Type /Catalog /Pages ${pageTree} 0 R${outlines}${structure}${lang}${hung} >>`;
  objects[pageTree - 1] =
    `<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((page) => `${page} 0 R`).join(" ")}] >>`;
  const information = info === undefined ? "" : ` /Info ${add(`<< ${info} >>`)} 0 R`;
  const encrypt = lock === undefined ? "" : ` /Encrypt ${add(lock.dictionary)} 0 R`;
  return writeFile(objects, `/Root ${catalog} 0 R${information}${encrypt} /ID [<${hex(id)}> <${hex(id)}>]`);

  function addOutline(entries: readonly PdfTestEntry[]): number {
    const root = reserve();
    objects[root - 1] = `<< /Type /Outlines${addEntries(entries, root)} >>`;
    return root;
  }

  function addEntries(entries: readonly PdfTestEntry[], parent: number): string {
    const ids = entries.map(() => reserve());
    for (const [index, { title, page, items = [] }] of entries.entries()) {
      const own = ids[index] ?? 0;
      const below = items.length > 0 ? addEntries(items, own) : "";
      const next = ids[index + 1];
      objects[own - 1] =
        `<< /Title (${title}) /Parent ${parent} 0 R /Dest [${pageIds[page] ?? 9999} 0 R /Fit]${next === undefined ? "" : ` /Next ${next} 0 R`}${below} >>`;
    }
    return ` /First ${ids[0]} 0 R /Last ${ids.at(-1)} 0 R /Count ${ids.length}`;
  }

  /** Elements, and the table that leads from marked content back to them. */
  function addStructure(elements: readonly PdfTestTag[]): number {
    const root = reserve();
    const parents: number[] = [];
    const addElement = ({ role, lines = [], alt, children = [] }: PdfTestTag, parent: number): number => {
      const own = reserve();
      for (const line of lines) parents[line] = own;
      const kids = [...lines, ...children.map((child) => `${addElement(child, own)} 0 R`)].join(" ");
      const said = alt === undefined ? "" : ` /Alt (${alt})`;
      objects[own - 1] =
        `<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg ${pageIds[0]} 0 R /K [${kids}]${said} >>`;
      return own;
    };
    const kids = elements.map((element) => `${addElement(element, root)} 0 R`).join(" ");
    const table = Array.from(parents, (parent) => (parent === undefined ? "null" : `${parent} 0 R`)).join(" ");
    objects[root - 1] = `<< /Type /StructTreeRoot /K [${kids}] /ParentTree << /Nums [0 [${table}]] >> >>`;
    return root;
  }
}

function drawLine(
  { text, x = 72, y, size = 10, font = "plain", angle = 0, spacing = 0, gaps }: PdfTestLine,
  mark?: number,
): string {
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const matrix = [cos, sin, -sin, cos].map((part) => part.toFixed(4)).join(" ");
  const written = (part: string): string => `(${part.replace(/[\\()]/g, "\\$&")})`;
  const signs = Array.from(text, (sign, at) => `${written(sign)} ${-(gaps?.[at] ?? 0)}`).join(" ");
  const drawn = gaps === undefined ? `${written(text)} Tj` : `[${signs}] TJ`;
  const shown = `BT /${names[font]} ${size} Tf ${spacing} Tc ${matrix} ${x} ${y} Tm ${drawn} ET`;
  return mark === undefined ? shown : `/Span << /MCID ${mark} >> BDC ${shown} EMC`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Objects, cross-reference table, trailer. */
export function writeFile(objects: readonly string[], trailer: string): Uint8Array {
  let file = "%PDF-1.6\n";
  const offsets = objects.map((body, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const xref = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`;
  return Uint8Array.from(file, (sign) => sign.charCodeAt(0));
}
