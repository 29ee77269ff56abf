import type { Definition } from "./find-definitions.ts";
import type { OutlinedLanguage } from "./grammars.ts";
import { maskText, type MaskRules } from "./mask-text.ts";

/** Definitions of a text by line, in order. **Cost** linear. */
export function outlineCode(language: OutlinedLanguage, text: string): Definition[] {
  if (language === "sql") return outlineSql(text);
  if (language === "protobuf") return outlineProtobuf(text);
  if (language === "dockerfile") return outlineDockerfile(text);
  return componentBlocks(text).map(({ title, start, end }) => ({ title, level: 1, start, end }));
}

/** Where the scripts of a component of Vue or Svelte stand, without their tags. */
export function scriptsOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  return componentBlocks(text)
    .filter(({ name }) => name === "script")
    .map(({ contentStart, contentEnd }) => ({ start: contentStart, end: contentEnd }));
}

const sqlMask: MaskRules = { lines: ["--"], blocks: [["/*", "*/"]], quotes: "'", dollars: true };
const protobufMask: MaskRules = { lines: ["//"], blocks: [["/*", "*/"]], quotes: "\"'", dollars: false };

/** **Source** ISO/IEC 9075-11 for the kinds; PostgreSQL, MySQL, Oracle and SQL Server for the words between. */
const sqlHeader =
  /^[ \t]*create\b(?:\s+(?:or|replace|alter|global|local|temporary|temp|unlogged|external|unique|fulltext|spatial|materialized|recursive|secure|force|editionable|noneditionable|algorithm\s*=\s*\w+|definer\s*=\s*\S+|sql\s+security\s+\w+|clustered|nonclustered)\b)*\s+(table|view|index|function|procedure|proc|trigger|type|domain|schema|sequence|database|role|policy|extension|package(?:\s+body)?|event|macro)\b\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?((?:"[^"\n]*"|`[^`\n]*`|\[[^\]\n]*\]|[\p{L}_@#$][\p{L}\p{N}_@#$]*)(?:\s*\.\s*(?:"[^"\n]*"|`[^`\n]*`|\[[^\]\n]*\]|[\p{L}_@#$][\p{L}\p{N}_@#$]*)){0,3})/gimu;
/** Words that open and close the body of a routine, and signs that end a statement. */
const sqlSteps =
  /\bbegin\b(?!\s*(?:tran|transaction|work|;))|\bcase\b|\bend\b(?:\s+(if|loop|while|repeat|for|case)\b)?|;|^[ \t]*(?:go|\/)[ \t]*$/gimu;
const routine = /^(?:function|procedure|proc|trigger|package|event)/iu;

function outlineSql(text: string): Definition[] {
  const { masked, lead } = maskText(text, sqlMask);
  const headers = [...masked.matchAll(sqlHeader)];
  return headers.map((header, index) => {
    const [all, kind = "", name = ""] = header;
    const next = headers[index + 1]?.index ?? text.length;
    const at = header.index + all.length;
    return {
      title: `${kind.toLowerCase().replace(/\s+/gu, " ")} ${name.replace(/\s*\.\s*/gu, ".")}`,
      level: 1,
      start: lead(header.index),
      end: lineEnd(text, endOfStatement(masked.slice(at, next), kind) + at),
    };
  });
}

function endOfStatement(body: string, kind: string): number {
  const isRoutine = routine.test(kind);
  let depth = /^package/iu.test(kind) ? 1 : 0;
  for (const step of body.matchAll(sqlSteps)) {
    const [word, closes] = step;
    const first = word.trim().charAt(0).toLowerCase();
    if (first === "g" || first === "/") return step.index;
    if (first === ";") {
      if (depth <= 0) return step.index + 1;
    } else if (!isRoutine) continue;
    else if (first === "b" || first === "c") depth += 1;
    else if (closes === undefined || closes.toLowerCase() === "case") depth -= 1;
  }
  return body.trimEnd().length;
}

/** **Source** Protocol Buffers, language specifications of proto2, proto3 and editions. */
const protobufSteps =
  /(?:^|[;{}])\s*(?:(message|enum|service|extend|oneof|rpc)\s+([\p{L}_.][\p{L}\p{N}_.]*)\s*(\([^(){};]{0,200}\))?)?|[{};]/gu;

function outlineProtobuf(text: string): Definition[] {
  const { masked, lead } = maskText(text, protobufMask);
  const found: { title: string; level: number; start: number; end: number }[] = [];
  /** Definitions whose braces are open; `undefined` for braces of an option or a group. */
  const open: (number | undefined)[] = [];
  let waiting: number | undefined;
  const close = (index: number | undefined, at: number): void => {
    const definition = index === undefined ? undefined : found[index];
    if (definition !== undefined) definition.end = lineEnd(text, at);
  };
  for (const step of masked.matchAll(protobufSteps)) {
    const [all, keyword, name = "", request = ""] = step;
    const sign = all.charAt(0);
    if (sign === "{") {
      open.push(waiting);
      waiting = undefined;
    } else if (sign === "}") {
      close(open.pop(), step.index + 1);
    } else if (sign === ";") {
      close(waiting, step.index + 1);
      waiting = undefined;
    }
    if (keyword === undefined) continue;
    const start = step.index + all.indexOf(keyword, /^[;{}]/u.test(sign) ? 1 : 0);
    if (!/^[ \t]*$/u.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, start))) continue;
    const level = 1 + open.filter((each) => each !== undefined).length;
    waiting =
      found.push({
        title: keyword === "rpc" ? `${name}${request.replace(/\s+/gu, " ")}` : `${keyword} ${name}`,
        level: Math.min(level, 6),
        start: lead(start),
        end: -1,
      }) - 1;
  }
  const last = text.trimEnd().length;
  return found
    .map((each) => (each.end === -1 ? { ...each, end: last } : each))
    .filter(({ title, start, end }) => !title.includes("(") || text.slice(start, end).includes("\n"));
}

/** Stages of a build. **Source** Dockerfile reference, FROM. */
function outlineDockerfile(text: string): Definition[] {
  const { masked, lead } = maskText(text, { lines: ["#"], blocks: [], quotes: "", dollars: false });
  const stages = [...masked.matchAll(/^[ \t]*from[ \t]+\S[^\n]*/gimu)].map((stage) => ({
    title: stage[0].trim().replace(/\s+/gu, " ").slice(0, 120),
    start: lead(stage.index),
  }));
  return stages.map(({ title, start }, index) => {
    const end = text.slice(0, stages[index + 1]?.start ?? text.length).trimEnd().length;
    return { title, level: 1, start, end };
  });
}

interface ComponentBlock {
  readonly name: string;
  readonly title: string;
  readonly start: number;
  readonly end: number;
  readonly contentStart: number;
  readonly contentEnd: number;
}

/** Blocks of a component that begin a line: scripts, styles, the template. **Source** Vue's single-file component specification; Svelte's component files. */
function componentBlocks(text: string): ComponentBlock[] {
  const blocks: ComponentBlock[] = [];
  const opening = /^<([a-z][\w-]*)\b([^>\n]{0,400})>/gimu;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [all, name = "", attributes = ""] = match;
    if (!/^(?:script|style|template)$/iu.test(name) || attributes.endsWith("/")) continue;
    const contentStart = match.index + all.length;
    const closing = new RegExp(`^</${name}[ \\t]*>`, "gimu");
    closing.lastIndex = contentStart;
    // A block without a closing tag at the beginning of a line may end in its own line.
    const found = closing.exec(text) ?? undefined;
    const short = text.indexOf(`</${name}>`, contentStart);
    const contentEnd = found?.index ?? short;
    if (contentEnd === -1) continue;
    const end = lineEnd(text, text.indexOf(">", contentEnd) + 1);
    const words = [...attributes.matchAll(/\b(?:setup|module|scoped)\b|\blang="(\w+)"/giu)].map(
      ([word, lang]) => lang ?? word,
    );
    blocks.push({
      name: name.toLowerCase(),
      title: [name.toLowerCase(), ...words].join(" "),
      start: match.index,
      end,
      contentStart,
      contentEnd,
    });
    opening.lastIndex = end;
  }
  return blocks;
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  const end = newline === -1 ? text.length : newline;
  return text.slice(0, end).trimEnd().length;
}
