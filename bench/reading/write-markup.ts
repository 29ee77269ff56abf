import type { Part, Sample } from "./documents.ts";

type Table = Extract<Part, { kind: "table" }>;
type Write = (sample: Sample) => string;

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const rowsOf = ({ header, rows }: Table): readonly (readonly string[])[] => (header ? [header, ...rows] : rows);
const join = (parts: readonly Part[], write: (part: Part) => string, between = "\n\n"): string =>
  parts.map(write).join(between);

/** HTML, which LibreOffice makes the office formats of. */
export const writeHtml: Write = ({ title, parts }) =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeXml(title)}</title></head><body>\n${join(
    parts,
    (part) => {
      if (part.kind === "heading") return `<h${part.level}>${escapeXml(part.text)}</h${part.level}>`;
      if (part.kind === "paragraph") return `<p>${escapeXml(part.text)}</p>`;
      if (part.kind === "code") return `<pre>${part.lines.map(escapeXml).join("\n")}</pre>`;
      if (part.kind === "list") {
        const tag = part.ordered === true ? "ol" : "ul";
        return `<${tag}>${part.items.map((item) => `<li>${escapeXml(item)}</li>`).join("\n")}</${tag}>`;
      }
      const head = part.header
        ? `<thead><tr>${part.header.map((cell) => `<th>${escapeXml(cell)}</th>`).join("")}</tr></thead>`
        : "";
      const body = part.rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeXml(cell)}</td>`).join("")}</tr>`);
      return `<table border="1">${head}<tbody>${body.join("\n")}</tbody></table>`;
    },
    "\n",
  )}\n</body></html>\n`;

const writeMarkdown: Write = ({ parts }) =>
  `${join(parts, (part) => {
    if (part.kind === "heading") return `${"#".repeat(part.level)} ${part.text}`;
    if (part.kind === "paragraph") return part.text;
    if (part.kind === "code") return `\`\`\`\n${part.lines.join("\n")}\n\`\`\``;
    if (part.kind === "list")
      return part.items.map((item, i) => `${part.ordered === true ? `${i + 1}.` : "-"} ${item}`).join("\n");
    const header = part.header ?? part.rows[0]!.map(() => " ");
    return [header, header.map(() => "---"), ...part.rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  })}\n`;

/** reStructuredText, with a grid table where there is no header. **Source** docutils, reStructuredText Markup Specification. */
const writeRst: Write = ({ parts }) =>
  `${join(parts, (part) => {
    if (part.kind === "heading") {
      const rule = ["=", "-", "~"][part.level - 1]!.repeat(part.text.length);
      return part.level === 1 ? `${rule}\n${part.text}\n${rule}` : `${part.text}\n${rule}`;
    }
    if (part.kind === "paragraph") return part.text.replace(/\. /gu, ".\n");
    if (part.kind === "code") return `.. code-block:: python\n\n${part.lines.map((line) => `   ${line}`).join("\n")}`;
    if (part.kind === "list")
      return part.items.map((item, i) => `${part.ordered === true ? `${i + 1}.` : "*"} ${item}`).join("\n");
    const widths = columnWidths(rowsOf(part));
    const rule = (sign: string): string => `+${widths.map((width) => sign.repeat(width + 2)).join("+")}+`;
    const line = (row: readonly string[]): string =>
      `|${row.map((cell, i) => ` ${cell.padEnd(widths[i]!)} `).join("|")}|`;
    if (part.header === undefined || part.rows.some(([first]) => first === ""))
      return [rule("-"), ...part.rows.flatMap((row) => [line(row), rule("-")])].join("\n");
    const simple = widths.map((width) => "=".repeat(width)).join("  ");
    const plain = (row: readonly string[]): string =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd();
    return [simple, plain(part.header), simple, ...part.rows.map(plain), simple].join("\n");
  })}\n`;

/** **Source** AsciiDoc Language Documentation, Eclipse. */
const writeAsciidoc: Write = ({ parts }) =>
  `${join(parts, (part) => {
    if (part.kind === "heading") return `${"=".repeat(part.level)} ${part.text}`;
    if (part.kind === "paragraph") return part.text.replace(/\. /gu, ".\n");
    if (part.kind === "code") return `[source,python]\n----\n${part.lines.join("\n")}\n----`;
    if (part.kind === "list")
      return part.items.map((item) => `${part.ordered === true ? "." : "*"} ${item}`).join("\n");
    const head = part.header === undefined ? "" : `${part.header.map((cell) => `|${cell}`).join(" ")}\n\n`;
    return `|===\n${head}${part.rows.map((row) => row.map((cell) => `|${cell}`).join(" ")).join("\n")}\n|===`;
  })}\n`;

/** **Source** Org Syntax, orgmode.org. */
const writeOrg: Write = ({ title, parts }) =>
  `#+TITLE: ${title}\n\n${join(parts, (part) => {
    if (part.kind === "heading") return `${"*".repeat(part.level)} ${part.text}`;
    if (part.kind === "paragraph") return part.text.replace(/\. /gu, ".\n");
    if (part.kind === "code") return `#+begin_src python\n${part.lines.join("\n")}\n#+end_src`;
    if (part.kind === "list")
      return part.items.map((item, i) => `${part.ordered === true ? `${i + 1}.` : "-"} ${item}`).join("\n");
    const widths = columnWidths(rowsOf(part));
    const line = (row: readonly string[]): string => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
    const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("+")}|`;
    return [...(part.header ? [line(part.header), rule] : []), ...part.rows.map(line)].join("\n");
  })}\n`;

const escapeTex = (text: string): string => text.replace(/[%&_#$]/gu, "\\$&");

/** **Source** LaTeX2e unofficial reference manual. */
const writeLatex: Write = ({ title, parts }) =>
  `\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\title{${escapeTex(title)}}\n\\begin{document}\n\\maketitle\n\n${join(
    parts.slice(1),
    (part) => {
      if (part.kind === "heading") return `\\${"sub".repeat(part.level - 2)}section{${escapeTex(part.text)}}`;
      if (part.kind === "paragraph") return escapeTex(part.text).replace(/\. /gu, ".\n");
      if (part.kind === "code") return `\\begin{verbatim}\n${part.lines.join("\n")}\n\\end{verbatim}`;
      if (part.kind === "list") {
        const name = part.ordered === true ? "enumerate" : "itemize";
        return `\\begin{${name}}\n${part.items.map((item) => `  \\item ${escapeTex(item)}`).join("\n")}\n\\end{${name}}`;
      }
      const line = (row: readonly string[]): string => `${row.map(escapeTex).join(" & ")} \\\\`;
      const head = part.header === undefined ? "" : `${line(part.header)}\n\\hline\n`;
      return `\\begin{tabular}{${"l".repeat(part.rows[0]!.length)}}\n\\hline\n${head}${part.rows.map(line).join("\n")}\n\\hline\n\\end{tabular}`;
    },
  )}\n\\end{document}\n`;

/** **Source** mediawiki.org, Help:Formatting and Help:Tables. */
const writeMediawiki: Write = ({ parts }) =>
  `${join(parts, (part) => {
    if (part.kind === "heading") return `${"=".repeat(part.level)} ${part.text} ${"=".repeat(part.level)}`;
    if (part.kind === "paragraph")
      return part.text.replace(/\bharbour\b/u, "[[Harbour|harbour]]").replace(/\bvessel\b/u, "'''vessel'''");
    if (part.kind === "code") return `<syntaxhighlight lang="python">\n${part.lines.join("\n")}\n</syntaxhighlight>`;
    if (part.kind === "list")
      return part.items.map((item) => `${part.ordered === true ? "#" : "*"} ${item}`).join("\n");
    const head = part.header === undefined ? "" : `\n|-\n! ${part.header.join(" !! ")}`;
    return `{| class="wikitable"${head}\n${part.rows.map((row) => `|-\n| ${row.join(" || ")}`).join("\n")}\n|}`;
  })}\n`;

/** Sections of a document inside one another. */
function nest(
  parts: readonly Part[],
  open: (title: string) => string,
  close: string,
  write: (part: Part) => string,
): string {
  const levels: number[] = [];
  let out = "";
  for (const part of parts) {
    if (part.kind !== "heading") out += `${write(part)}\n`;
    else {
      while ((levels.at(-1) ?? 0) >= part.level) {
        levels.pop();
        out += `${close}\n`;
      }
      levels.push(part.level);
      out += `${open(escapeXml(part.text))}\n`;
    }
  }
  return out + `${close}\n`.repeat(levels.length);
}

const cells = (row: readonly string[], tag: string): string =>
  row.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join("");

/** **Source** OASIS, The DocBook Schema 5.1. */
const writeDocbook: Write = ({ title, parts }) =>
  `<?xml version="1.0"?>\n<article xmlns="http://docbook.org/ns/docbook" version="5.1" xml:lang="en">\n<info><title>${escapeXml(title)}</title></info>\n${nest(
    parts.slice(1),
    (name) => `<section><title>${name}</title>`,
    "</section>",
    (part) => {
      if (part.kind === "paragraph") return `<para>${escapeXml(part.text)}</para>`;
      if (part.kind === "code") return `<programlisting>${part.lines.map(escapeXml).join("\n")}</programlisting>`;
      if (part.kind === "list") {
        const tag = part.ordered === true ? "orderedlist" : "itemizedlist";
        return `<${tag}>${part.items.map((item) => `<listitem><para>${escapeXml(item)}</para></listitem>`).join("\n")}</${tag}>`;
      }
      if (part.kind !== "table") return "";
      const head = part.header === undefined ? "" : `<thead><row>${cells(part.header, "entry")}</row></thead>`;
      return `<informaltable><tgroup cols="${part.rows[0]!.length}">${head}<tbody>${part.rows.map((row) => `<row>${cells(row, "entry")}</row>`).join("\n")}</tbody></tgroup></informaltable>`;
    },
  )}</article>\n`;

/** **Source** ANSI/NISO Z39.96, JATS. */
const writeJats: Write = ({ title, parts }) =>
  `<?xml version="1.0"?>\n<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.2 20190208//EN" "JATS-archivearticle1.dtd">\n<article xml:lang="en"><front><article-meta><title-group><article-title>${escapeXml(title)}</article-title></title-group></article-meta></front>\n<body>\n${nest(
    parts.slice(1),
    (name) => `<sec><title>${name}</title>`,
    "</sec>",
    (part) => {
      if (part.kind === "paragraph") return `<p>${escapeXml(part.text)}</p>`;
      if (part.kind === "code") return `<code>${part.lines.map(escapeXml).join("\n")}</code>`;
      if (part.kind === "list")
        return `<list list-type="${part.ordered === true ? "order" : "bullet"}">${part.items.map((item) => `<list-item><p>${escapeXml(item)}</p></list-item>`).join("\n")}</list>`;
      if (part.kind !== "table") return "";
      const head = part.header === undefined ? "" : `<thead><tr>${cells(part.header, "th")}</tr></thead>`;
      return `<table-wrap><table>${head}<tbody>${part.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n")}</tbody></table></table-wrap>`;
    },
  )}</body></article>\n`;

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  return rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length), 1));
}

/** Writers of text formats by file extension. */
export const markup: Readonly<Record<string, Write>> = {
  html: writeHtml,
  md: writeMarkdown,
  rst: writeRst,
  adoc: writeAsciidoc,
  org: writeOrg,
  tex: writeLatex,
  wiki: writeMediawiki,
  "docbook.xml": writeDocbook,
  "jats.xml": writeJats,
};
