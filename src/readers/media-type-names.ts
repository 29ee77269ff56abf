/**
 * Media types by file extension.
 *
 * **Source** the IANA media type registry where it has the type; `text/x-<language>` for source code, as freedesktop.org's shared MIME database has it.
 */
const byExtension: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // prose
    "text/markdown": "md markdown mkd mdown mdwn",
    "text/mdx": "mdx",
    "text/html": "html htm",
    "application/xhtml+xml": "xhtml xht",
    "text/plain": "txt text conf cfg ini env properties gitignore",
    "text/x-rst": "rst rest",
    "text/asciidoc": "adoc asciidoc asc",
    "text/x-log": "log",
    "text/x-org": "org",
    "text/x-tex": "tex",
    // data
    "text/csv": "csv",
    "text/tab-separated-values": "tsv tab",
    "application/json": "json jsonc json5 webmanifest",
    "application/x-ndjson": "jsonl ndjson",
    "application/x-ipynb+json": "ipynb",
    "application/yaml": "yaml yml",
    "application/toml": "toml",
    "application/xml": "xml xsd xsl xslt",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "text/x-diff": "diff patch",
    // code
    "text/javascript": "js mjs cjs jsx",
    "text/x-typescript": "ts mts cts tsx",
    "text/x-python": "py pyi pyw",
    "text/x-java": "java",
    "text/x-kotlin": "kt kts",
    "text/x-scala": "scala sc",
    "text/x-groovy": "groovy gradle",
    "text/x-c": "c h",
    "text/x-c++": "cc cpp cxx hh hpp hxx",
    "text/x-csharp": "cs csx",
    "text/x-fsharp": "fs fsi fsx",
    "text/x-go": "go",
    "text/x-rust": "rs",
    "text/x-ruby": "rb",
    "text/x-php": "php",
    "text/x-perl": "pl pm",
    "text/x-lua": "lua",
    "text/x-r": "r",
    "text/x-julia": "jl",
    "text/x-swift": "swift",
    "text/x-dart": "dart",
    "text/x-haskell": "hs",
    "text/x-elixir": "ex exs",
    "text/x-erlang": "erl hrl",
    "text/x-clojure": "clj cljs cljc edn",
    "text/x-ballerina": "bal",
    "text/x-shellscript": "sh bash zsh fish",
    "text/x-powershell": "ps1 psm1",
    "text/x-bat": "bat cmd",
    "text/x-sql": "sql",
    "text/x-graphql": "graphql gql",
    "text/x-protobuf": "proto",
    "text/x-terraform": "tf hcl",
    "text/x-vue": "vue",
    "text/x-svelte": "svelte",
    "text/x-template": "hbs mustache ejs liquid njk jinja jinja2 j2 erb jsp asp aspx",
    "text/css": "css",
    "text/x-scss": "scss sass less",
    // not text
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx docm dotx dotm",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx xlsm xltx xltm",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx pptm potx potm ppsx ppsm",
    "application/msword": "doc dot",
    "application/vnd.ms-excel": "xls xlt",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "xlsb",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "message/rfc822": "eml",
    "application/mbox": "mbox",
    "application/vnd.ms-outlook": "msg",
    "application/zip": "zip",
    "application/gzip": "gz tgz",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/tiff": "tif tiff",
    "image/bmp": "bmp",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "video/mp4": "mp4 m4v mov",
  }).flatMap(([mediaType, extensions]) => extensions.split(" ").map((extension) => [extension, mediaType] as const)),
);

/** The media type that a file extension (without dot, lower case) stands for, when we know it. */
export function mediaTypeOfExtension(extension: string): string | undefined {
  return byExtension.get(extension);
}

const names: ReadonlyMap<string, { readonly label: string; readonly hint: string }> = new Map([
  ...describe("add the reader of its kind", {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "a Word document (DOCX)",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "a PowerPoint presentation (PPTX)",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text (ODT)",
    "application/epub+zip": "an EPUB book",
  }),
  ...describe("save it as DOCX, PPTX or PDF", {
    "application/msword": "a Word document (DOC)",
    "application/vnd.ms-powerpoint": "a PowerPoint presentation (PPT)",
  }),
  ...describe("convert it to PDF, HTML or Markdown", {
    "application/rtf": "a rich text document (RTF)",
    "text/rtf": "a rich text document (RTF)",
    "application/vnd.oasis.opendocument.presentation": "an OpenDocument presentation (ODP)",
    "application/x-cfb": "a document of older Microsoft Office or an encrypted one",
  }),
  ...describe("export it as CSV, one file per sheet", {
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "an Excel workbook (XLSX)",
    "application/vnd.ms-excel": "an Excel workbook (XLS)",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "a binary Excel workbook (XLSB)",
    "application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument spreadsheet (ODS)",
  }),
  ...describe("unpack it and give the files in it", {
    "application/zip": "a ZIP archive",
    "application/gzip": "a gzip archive",
    "application/x-7z-compressed": "a 7-Zip archive",
    "application/x-bzip2": "a bzip2 archive",
    "application/x-xz": "an xz archive",
    "application/zstd": "a Zstandard archive",
    "application/vnd.rar": "a RAR archive",
  }),
  ...describe("save its text as a text or HTML file", {
    "message/rfc822": "an e-mail message",
    "application/mbox": "a mailbox",
  }),
  ...describe("save it as .eml or HTML in a mail program", {
    "application/vnd.ms-outlook": "an Outlook message (MSG)",
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
  if (main === "image") return { label: `an image (${mediaType})`, hint: "give its text as a text file." };
  if (main === "audio" || main === "video")
    return { label: `a recording (${mediaType})`, hint: "give a transcript as a text file." };
  return {
    label: `of media type ${mediaType}`,
    hint: "convert it to plain text, Markdown, HTML or PDF, or give a reader that accepts it.",
  };
}
