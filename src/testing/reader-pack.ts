import { IbidError } from "../contracts/errors.ts";
import type { IbidErrorCode } from "../contracts/errors.ts";
import type { ReadInput, Reader, ReadResult } from "../contracts/reader.ts";
import { check, equal, throughJson, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { edgeTexts, generateText, scripts } from "./corpus.ts";
import { checkBlocks, checkSourceMap, checkTree, hasLoneSurrogate } from "./tree-checks.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * A reader to be tried, with files of its format.
 *
 * @experimental
 */
export interface ReaderSubject {
  create(): Promise<Reader> | Reader;
  readonly mediaType: string;
  /** Paragraphs as bytes of the format. Leave it out when the format cannot be written in a line or two; then give `samples`. */
  wrap?(paragraphs: readonly string[]): Uint8Array;
  /** Whether the canonical text is the decoded source itself. Default: no. */
  readonly verbatim?: boolean | undefined;
  /** Files of the format, with words that must be in their text, in this order. */
  readonly samples?:
    | readonly {
        readonly name: string;
        readonly bytes: Uint8Array;
        readonly words: readonly string[];
      }[]
    | undefined;
  /** Files that must be refused, and how. */
  readonly refuses?:
    | readonly { readonly name: string; readonly bytes: Uint8Array; readonly code: IbidErrorCode }[]
    | undefined;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Every {@link Reader}: canonical text that keeps every word, a tree and a map that fit it, typed refusals.
 *
 * @experimental
 */
export function createReaderPack(subject: ReaderSubject): readonly ContractCase[] {
  checkSubject("createReaderPack", subject, { mediaType: "string" });
  const read = async (bytes: Uint8Array, extra: Partial<ReadInput> = {}): Promise<ReadResult> =>
    (await subject.create()).read({ uri: "dir/sample", bytes, mediaType: subject.mediaType, ...extra });
  const inputs = (): readonly (readonly [string, Uint8Array])[] => [
    ...(subject.samples ?? []).map(({ name, bytes }) => [name, bytes] as const),
    ...(subject.wrap === undefined ? [] : texts().map(([name, text]) => [name, wrap(text)] as const)),
  ];
  const wrap = (text: string): Uint8Array => subject.wrap?.(text.split(/\n\s*\n/u)) ?? encode(text);

  const cases: readonly CaseDefinition[] = [
    [
      "takes-its-own-media-type",
      "E15 B52",
      async () => {
        const reader = await subject.create();
        check(reader.name.trim() !== "", "it has a name");
        check(reader.accepts(subject.mediaType), `it accepts ${subject.mediaType}`);
        check(!reader.accepts("application/x-nobody-reads-this"), "it does not accept everything");
        check(!reader.accepts(""), "it does not accept a blank media type");
      },
    ],
    [
      "text-tree-and-map-fit",
      "E2 E8 E15 L1",
      async () => {
        for (const [name, bytes] of inputs()) {
          const { text, root, blocks, sourceMap, title } = await read(bytes);
          check(
            !text.includes("\r") && !text.startsWith("\uFEFF"),
            `${name}: newlines are \\n, without a byte order mark`,
          );
          check(!hasLoneSurrogate(text), `${name}: half of a surrogate pair stands alone`);
          check(typeof title === "string", `${name}: it has a title`);
          checkTree(root, text);
          checkBlocks(blocks, text);
          checkSourceMap(sourceMap, text);
        }
      },
    ],
    [
      "no-word-is-lost",
      "E15 L1",
      async () => {
        for (const { name, bytes, words } of subject.samples ?? []) {
          const { text } = await read(bytes);
          let from = 0;
          for (const word of words) {
            const at = text.indexOf(word, from);
            check(
              at >= 0,
              `${name}: "${word}" is in the text, after the words before it`,
              text.slice(from, from + 200),
            );
            from = at + word.length;
          }
        }
        if (subject.wrap === undefined) return;
        for (const [script, sentences] of Object.entries(scripts)) {
          const { text } = await read(subject.wrap(sentences));
          for (const sentence of sentences)
            check(text.includes(sentence), `${script}: "${sentence}" is in the text`, text);
        }
      },
    ],
    [
      "verbatim-as-declared",
      "L1",
      async () => {
        if (subject.verbatim !== true) return;
        for (const [name, text] of texts())
          equal((await read(encode(text))).text, text, `the canonical text of ${name}`);
        const { text } = await read(encode("\uFEFFone\r\ntwo\rthree\n\uFEFFfour"));
        equal(text, "one\ntwo\nthree\n\uFEFFfour", "newlines made one kind, the mark at the beginning taken off");
        const wide = new Uint8Array([0xff, 0xfe, ...utf16("é👍")]);
        equal((await read(wide)).text, "é👍", "a text in UTF-16, by its byte order mark");
      },
    ],
    [
      "same-bytes-same-result",
      "L7 L11",
      async () => {
        for (const [name, bytes] of inputs()) {
          const before = bytes.slice();
          const first = await read(bytes);
          equal(await read(bytes), first, `${name}, read again`);
          equal(bytes, before, `the bytes of ${name} after they were read`);
          equal(throughJson(first), first, `${name} after a round trip through JSON`);
        }
      },
    ],
    [
      "refuses-by-name",
      "E15 W17",
      async () => {
        for (const { name, bytes, code } of subject.refuses ?? []) {
          const error = await throwsCode(() => read(bytes, { uri: "dir/the-name.x" }), code, name);
          check(
            error.uri === "dir/the-name.x" || error.message.includes("dir/the-name.x"),
            `${name}: the error names the file`,
            error.message,
          );
        }
      },
    ],
    [
      "stops-only-when-told",
      "",
      async () => {
        const [first] = inputs();
        if (first === undefined) return;
        const quiet = await read(first[1], { signal: new AbortController().signal });
        equal(quiet, await read(first[1]), "a reading with a signal that never fires");
        // A reader that never waits may finish; one that stops says why.
        await read(first[1], { signal: AbortSignal.abort() }).catch((error: unknown) => {
          check(IbidError.isInstance(error, "aborted"), "the error of a reading that was stopped is aborted", error);
        });
      },
    ],
  ];
  return defineCases("reader", cases);
}

/** Texts for readers: small, hostile and generated ones, none of them blank. */
function texts(): readonly (readonly [name: string, text: string])[] {
  return [
    ...edgeTexts.map((text, i) => [`edge ${i}`, text] as const),
    ...Array.from({ length: 6 }, (_, seed) => [`generated ${seed}`, generateText(seed, 12)] as const),
  ];
}

function utf16(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).flatMap((unit) => [unit & 0xff, unit >> 8]);
}
