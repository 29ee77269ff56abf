import { crc32 } from "node:zlib";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A zip archive whose files are stored as they are. */
function zip(files: Readonly<Record<string, string>>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, data] = [encode(name), encode(text)];
    const facts = new DataView(new ArrayBuffer(26));
    facts.setUint16(0, 20, true);
    facts.setUint32(10, crc32(data), true);
    facts.setUint32(14, data.length, true);
    facts.setUint32(18, data.length, true);
    facts.setUint16(22, path.length, true);
    const shared = new Uint8Array(facts.buffer);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), shared, path, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"), shared, place, path]));
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const packageOf = "http://schemas.openxmlformats.org/package/2006";
const officeOf = "http://schemas.openxmlformats.org/officeDocument/2006";
const relations = (list: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `${xml}<Relationships xmlns="${packageOf}/relationships">${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="${officeOf}/relationships/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const types = (list: readonly (readonly [part: string, type: string])[]): string =>
  `${xml}<Types xmlns="${packageOf}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${list.map(([part, type]) => `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`).join("")}</Types>`;

/** A Word document of one paragraph. */
export const wordFile = (text: string): Uint8Array =>
  zip({
    "[Content_Types].xml": types([["/word/document.xml", "wordprocessingml.document.main"]]),
    "_rels/.rels": relations([["r1", "officeDocument", "word/document.xml"]]),
    "word/document.xml": `${xml}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
  });

/** A presentation of one slide with one line. */
export const slidesFile = (text: string): Uint8Array =>
  zip({
    "[Content_Types].xml": types([
      ["/ppt/presentation.xml", "presentationml.presentation.main"],
      ["/ppt/slides/slide1.xml", "presentationml.slide"],
    ]),
    "_rels/.rels": relations([["r1", "officeDocument", "ppt/presentation.xml"]]),
    "ppt/presentation.xml": `${xml}<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${officeOf}/relationships"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations([["r1", "slide", "slides/slide1.xml"]]),
    "ppt/slides/slide1.xml": `${xml}<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
  });
