import { checkGiven } from "../../runtime/check-options.ts";
import { atOnce } from "../../runtime/next-turn.ts";
import type { Suspicion, SuspicionKind } from "../../contracts/suspicion.ts";
import { endOfStretch, findHiddenMarkupInSteps } from "./hidden-markup.ts";

/** How much of a finding is quoted. **Units** UTF-16. */
const longestQuote = 200;

/**
 * Finds passages that address a model rather than a reader; see {@link SuspicionKind}.
 *
 * A finding is no proof of an attack: comments and chat logs are common. It marks a place to look at.
 *
 * **Shape** in order of `start`; findings may lie within one another. **Cost** linear.
 * **Source** Unicode (tags, bidirectional controls, variation selectors); the chat templates of ChatML, Llama, Mistral, Gemma, DeepSeek, Alpaca and Claude for tokens and turns.
 *
 * @experimental
 */
export function findSuspicious(text: string, kinds?: ReadonlySet<SuspicionKind>): readonly Suspicion[] {
  checkGiven("findSuspicious", "text", text, "text");
  if (kinds !== undefined) checkGiven("findSuspicious", "kinds", kinds, "object", { has: "function" });
  return atOnce(findSuspiciousInSteps(text, kinds));
}

/**
 * {@link findSuspicious} in steps: one for each pattern, and for each stretch of so many characters and the rest of its line.
 *
 * **Shape** a stretch needs `unseenKinds`: what they look for ends with its line, apart from markup.
 */
export function* findSuspiciousInSteps(
  text: string,
  kinds?: ReadonlySet<SuspicionKind>,
  stretch = Infinity,
): Generator<undefined, readonly Suspicion[]> {
  const markup = yield* findHiddenMarkupInSteps(text, stretch);
  const found: Suspicion[] = markup.map(({ kind, start, end }) => finding(text, kind, start, end));
  for (const [kind, pattern] of patterns) {
    if (kinds !== undefined && !kinds.has(kind)) continue;
    for (let from = 0; from < text.length;) {
      yield undefined;
      const until = endOfStretch(text, from, stretch);
      const part = until === text.length ? text : text.slice(0, until);
      pattern.lastIndex = from;
      for (let match = pattern.exec(part); match !== null; match = pattern.exec(part))
        found.push(finding(text, kind, match.index, match.index + match[0].length));
      from = until;
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Kinds that a reader of the document does not see at all. */
export const unseenKinds: ReadonlySet<SuspicionKind> = new Set(["comment", "hidden", "invisible", "direction", "tags"]);

function finding(text: string, kind: SuspicionKind, start: number, end: number): Suspicion {
  const whole = text.slice(start, end);
  const quote = whole.length > longestQuote ? whole.slice(0, longestQuote) : whole;
  return { kind, start, end, quote, ...(kind === "tags" && { says: readTags(whole) }) };
}

/** **Source** Unicode: U+E0020 to U+E007E are the printable ASCII characters, E0000 higher. */
function readTags(text: string): string {
  let says = "";
  for (const character of text) {
    const code = (character.codePointAt(0) ?? 0) - 0xe0000;
    if (code >= 0x20 && code <= 0x7e) says += String.fromCharCode(code);
  }
  return says;
}

/** England, Scotland, Wales: a flag is spelt in tags, and everybody sees it. */
const flag = "(?<!\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{0,6})";
/** Joiners have their place between letters of other scripts and between emoji. */
const joiners = "\\u200B-\\u200D";
const selectors = "\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}";
const always =
  "\\0-\\x08\\x0B\\x0E-\\x1F\\x7F-\\x84\\x86-\\x9F\\u115F\\u1160\\u180E\\u2060-\\u2064\\u206A-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB";
const turn = "system|assistant|human|user|developer|tool|function|question";
const tokenTag = "s|system|assistant|human|instructions?|think|start_of_turn|end_of_turn|bos|eos";
const toolTag =
  "tool_calls?|tool_use|tool_results?|tool_response|tool_code|function_calls?|function_results?|invoke|parameter|use_mcp_tool";
const delimiter = "sources?|context|documents?|retrieved_context";

const patterns: readonly (readonly [SuspicionKind, RegExp])[] = [
  [
    "invisible",
    new RegExp(
      `[${always}]+|(?<![^\\0-\\x7F])[${joiners}]+|[${joiners}]+(?![^\\0-\\x7F])|[${joiners}]{3,}|[${selectors}]{2,}|(?<=[A-Za-z])[${selectors}]`,
      "gu",
    ),
  ],
  ["direction", /[\u202A-\u202E\u2066-\u2069]+/gu],
  ["tags", new RegExp(`${flag}[\\u{E0000}-\\u{E007F}]+`, "gu")],
  ["role", /<[|｜][^<>|｜\n]{1,64}[|｜]>/gu],
  ["role", /\[\/?(?:INST|SYS|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]|<<\/?SYS>>/gu],
  ["role", new RegExp(`</?(?:${tokenTag})(?:\\s[^<>]{0,200})?>`, "giu")],
  // In YAML `system:` further in is a key like any other.
  ["role", new RegExp(`^[ \\t]*(?:[*_#]{1,6}[ \\t]*)?(?:${capitalised(turn)})[*_]{0,3}[ \\t]*[:：]`, "gmu")],
  ["role", /^(?:system|assistant|human|developer)[ \t]*[:：]/gmu],
  ["role", /^[ \t]*#{1,6}[ \t]*(?:instructions?|response|system|assistant|human|user)[ \t]*[:：]?[ \t]*$/gimu],
  ["tool-call", new RegExp(`</?(?:[a-z]+:)?(?:${toolTag})(?:[\\s=][^<>]{0,200})?>|<function=[^<>]{0,200}>`, "giu")],
  ["delimiter", new RegExp(`<\\s*/?\\s*(?:${delimiter})(?:-[0-9a-f]+)?(?:\\s[^<>]{0,300})?/?>?(?![\\w-])`, "giu")],
];

/** `system` as `System|SYSTEM`. */
function capitalised(words: string): string {
  return words
    .split("|")
    .flatMap((word) => [word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
    .join("|");
}
