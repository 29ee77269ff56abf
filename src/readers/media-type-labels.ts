const names: ReadonlyMap<string, { readonly label: string; readonly hint: string }> = new Map([
  ...describe("add the reader of its kind", {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "a Word document (DOCX)",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "a PowerPoint presentation (PPTX)",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text (ODT)",
    "application/vnd.oasis.opendocument.text-flat-xml": "a flat OpenDocument text (FODT)",
    "application/epub+zip": "an EPUB book",
  }),
  ...describe("add the reader of its kind, or save it as DOCX or PPTX", {
    "application/msword": "a Word document (DOC)",
    "application/vnd.ms-powerpoint": "a PowerPoint presentation (PPT)",
  }),
  ...describe("convert it to PDF, HTML or Markdown", {
    "application/rtf": "a rich text document (RTF)",
    "text/rtf": "a rich text document (RTF)",
    "application/vnd.oasis.opendocument.presentation": "an OpenDocument presentation (ODP)",
    "application/vnd.oasis.opendocument.presentation-flat-xml": "a flat OpenDocument presentation (FODP)",
    "application/x-cfb": "a compound file (OLE), such as older programs of Windows write",
  }),
  ...describe("export it as CSV, one file per sheet", {
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "an Excel workbook (XLSX)",
    "application/vnd.ms-excel": "an Excel workbook (XLS)",
    "application/vnd.ms-wordml": "a Word document in XML (Word 2003)",
    "application/vnd.ms-spreadsheetml": "an Excel workbook in XML (XML Spreadsheet 2003)",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "a binary Excel workbook (XLSB)",
    "application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument spreadsheet (ODS)",
    "application/vnd.oasis.opendocument.spreadsheet-flat-xml": "a flat OpenDocument spreadsheet (FODS)",
  }),
  ...describe("unpack it and give the files in it", {
    "application/zip": "a ZIP archive",
    "application/gzip": "a gzip archive",
    "application/x-tar": "a tar archive",
    "application/vnd.ms-cab-compressed": "a cabinet archive",
    "application/vnd.debian.binary-package": "a Debian package",
    "application/x-7z-compressed": "a 7-Zip archive",
    "application/x-bzip2": "a bzip2 archive",
    "application/x-xz": "an xz archive",
    "application/zstd": "a Zstandard archive",
    "application/vnd.rar": "a RAR archive",
  }),
  ...describe("export it as PDF or DOCX from the program that made it", {
    "application/vnd.apple.pages": "a Pages document",
    "application/vnd.apple.iwork": "a Pages, Numbers or Keynote file",
    "application/x-hwp": "a Hangul word processor document (HWP)",
    "application/hwp+zip": "a Hangul word processor document (HWPX)",
    "application/vnd.ms-publisher": "a Publisher document",
    "application/vnd.visio": "a Visio drawing",
    "application/vnd.oasis.opendocument.graphics": "an OpenDocument drawing (ODG)",
    "application/vnd.oasis.opendocument.graphics-flat-xml": "a flat OpenDocument drawing (FODG)",
    "application/vnd.ms-xpsdocument": "an XPS document",
    "image/emf": "a Windows metafile (EMF)",
    "image/wmf": "a Windows metafile (WMF)",
    "application/postscript": "a PostScript file",
    "application/x-mobipocket-ebook": "a Kindle book (MOBI)",
    "image/vnd.djvu": "a scanned book (DjVu)",
    "image/vnd.dwg": "an AutoCAD drawing (DWG)",
  }),
  ...describe("save it as ODT, ODS or ODP in LibreOffice", {
    "application/vnd.sun.xml.writer": "a text of OpenOffice 1 (SXW)",
    "application/vnd.sun.xml.calc": "a spreadsheet of OpenOffice 1 (SXC)",
    "application/vnd.sun.xml.impress": "a presentation of OpenOffice 1 (SXI)",
    "application/vnd.oasis.opendocument.formula": "an OpenDocument formula (ODF)",
    "application/vnd.ms-works": "a document of Microsoft Works (WPS)",
    "application/x-mswrite": "a document of Windows Write (WRI)",
    "application/vnd.wordperfect": "a WordPerfect document",
  }),
  ...describe("export its folders as MBOX, or its messages as EML or MSG", {
    "application/vnd.ms-outlook-pst": "a mail store of Outlook (PST)",
  }),
  ...describe("save the mail and its attachments in the program that received it", {
    "application/vnd.ms-tnef": "an attachment of Outlook's own form (TNEF, winmail.dat)",
    "application/pkcs7-mime": "a signed or encrypted message (S/MIME)",
    "application/pkcs7-signature": "a signature without the text that it signs",
  }),
  ...describe("export it as PDF or PPTX from Keynote", {
    "application/vnd.apple.keynote": "a Keynote presentation",
  }),
  ...describe("export it as XLSX or CSV from Numbers", {
    "application/vnd.apple.numbers": "a Numbers spreadsheet",
  }),
  ...describe("export its pages as PDF or DOCX from OneNote", {
    "application/onenote": "a OneNote section",
  }),
  ...describe("export its tables as CSV", {
    "application/vnd.oasis.opendocument.base": "an OpenDocument database (ODB)",
    "application/x-dbf": "a dBASE table",
    "application/x-msaccess": "an Access database",
    "application/vnd.sqlite3": "an SQLite database",
    "application/vnd.apache.parquet": "a Parquet table",
    "application/x-hdf5": "an HDF5 data set",
    "application/vnd.ms-project": "a Project plan",
  }),
  ...describe("save its pages as HTML files", {
    "application/warc": "a web archive (WARC)",
    "application/vnd.ms-htmlhelp": "a compiled help file (CHM)",
  }),
  ...describe("name it by its kind, .docx, .xlsx or .pptx, and give its password", {
    "application/vnd.ms-office.encrypted": "a protected file of Word, Excel or PowerPoint",
  }),
  ...describe("give the documents that use it", {
    "application/vnd.ms-officetheme": "a theme of Office (THMX)",
  }),
  ...describe("give the file that it points to", {
    "application/x-ms-shortcut": "a Windows shortcut",
  }),
  ...describe("save its text as a text or HTML file", {
    "message/rfc822": "an e-mail message",
    "application/mbox": "a mailbox",
    "multipart/related": "a saved web page (MHTML)",
  }),
  ...describe("save it as .eml or HTML in a mail program", {
    "application/vnd.ms-outlook": "an Outlook message (MSG)",
  }),
  ...describe("save it as PNG or JPEG, and have its text recognised (--ocr eng, or reading.ocr)", {
    "image/heic": "an image (image/heic)",
    "image/avif": "an image (image/avif)",
    "image/vnd.adobe.photoshop": "an image (image/vnd.adobe.photoshop)",
  }),
  ...describe("give the source it was built from", {
    "application/x-executable": "a program",
    "application/wasm": "a WebAssembly module",
    "application/java-vm": "a compiled Java class",
  }),
]);

function describe(
  todo: string,
  labels: Readonly<Record<string, string>>,
): (readonly [string, { label: string; hint: string }])[] {
  return Object.entries(labels).map(([mediaType, label]) => [mediaType, { label, hint: `${todo}.` }] as const);
}

/** A format in a reader's words, and what to do when nobody reads it; both fit into a sentence. */
export function nameMediaType(mediaType: string): { readonly label: string; readonly hint: string } {
  const known = names.get(mediaType);
  if (known !== undefined) return known;
  const main = mediaType.slice(0, mediaType.indexOf("/"));
  if (main === "image")
    return {
      label: `an image (${mediaType})`,
      hint: "have its text recognised (--ocr eng, or reading.ocr), or give it as a text file.",
    };
  if (main === "audio" || main === "video")
    return { label: `a recording (${mediaType})`, hint: "give a transcript as a text file." };
  return {
    label: `of media type ${mediaType}`,
    hint: "convert it to plain text, Markdown, HTML or PDF, or give a reader that accepts it.",
  };
}
