import type { AskKept, Source, SourceItem, SourceRefusal } from "../contracts/reader.ts";
import { check, collect, equal, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { ContractCase } from "./contract-case.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * A source to be tried, and everything that it must give.
 *
 * @experimental
 */
export interface SourceSubject {
  create(): Promise<Source> | Source;
  /** Items of the source: uri to bytes, three at least. */
  readonly contents: Readonly<Record<string, Uint8Array>>;
  /** Uris that it finds and refuses. */
  readonly refusals?: readonly string[] | undefined;
}

/**
 * Contract of every {@link Source}: everything once, by name, as often as it is asked; refusals that do not stop the rest.
 *
 * @experimental
 */
export function createSourcePack(subject: SourceSubject): readonly ContractCase[] {
  checkSubject("createSourcePack", subject, { contents: "object" });
  const uris = Object.keys(subject.contents).toSorted();
  const items = async (source: Source): Promise<readonly SourceItem[]> =>
    (await collect(source.items())).filter((item): item is SourceItem => !("error" in item));
  return defineCases("source", [
    [
      "everything-once-by-name",
      "E14 E15",
      async () => {
        const source = await subject.create();
        const found = await items(source);
        equal(found.map(({ uri }) => uri).toSorted(), uris, "uris");
        for (const item of found) {
          const bytes = await item.bytes();
          equal(bytes, subject.contents[item.uri], `bytes of ${item.uri}`);
          check(item.size === undefined || item.size === bytes.byteLength, `size of ${item.uri}`, item.size);
        }
      },
    ],
    [
      "refusals-do-not-stop-the-rest",
      "E15 W17",
      async () => {
        const all = await collect((await subject.create()).items());
        const refused = all.filter((item): item is SourceRefusal => "error" in item);
        equal(refused.map(({ uri }) => uri).toSorted(), (subject.refusals ?? []).toSorted(), "uris that are refused");
        for (const { uri, error } of refused)
          check(error instanceof Error && error.message !== "", `${uri} says why`, error);
      },
    ],
    [
      "the-same-again",
      "E14 L7",
      async () => {
        const source = await subject.create();
        const first = (await items(source)).map(({ uri }) => uri);
        equal(
          (await items(source)).map(({ uri }) => uri),
          first,
          "uris of a second walk",
        );
      },
    ],
    [
      "folders-hold-their-items",
      "E15",
      async () => {
        const source = await subject.create();
        for (const { uri, folder } of await items(source)) {
          check(
            folder === undefined || source.folders.includes(folder),
            `the folder of ${uri} is one that is walked`,
            folder,
          );
        }
      },
    ],
    [
      "lazy",
      "E15",
      async () => {
        const source = await subject.create();
        for await (const item of source.items()) {
          check(item.uri !== "", "an item has a uri");
          break;
        }
        equal((await items(source)).length, uris.length, "items of a walk after one that was left");
      },
    ],
    [
      "fetches-nothing-that-is-not-wanted",
      "E16 L7",
      async () => {
        const source = await subject.create();
        if (source.changes === undefined) return;
        const given = async (kept: AskKept): Promise<Record<string, string>> => {
          const found: Record<string, string> = {};
          for await (const item of source.changes?.(kept) ?? [])
            found[item.uri] = "error" in item ? "refused" : "unchanged" in item ? "unchanged" : "given";
          return found;
        };
        const refused = Object.fromEntries((subject.refusals ?? []).map((uri) => [uri, "refused"]));
        const all = (what: string): object => ({ ...Object.fromEntries(uris.map((uri) => [uri, what])), ...refused });
        equal(await given(async () => undefined), all("given"), "what is given when nothing is kept");
        equal(await given(async () => ({ wanted: true })), all("given"), "what is given when all is wanted again");
        const asked: string[] = [];
        const keepAll: AskKept = async (uri) => {
          asked.push(uri);
          return { wanted: false };
        };
        const outcome = await given(keepAll);
        for (const uri of uris) equal(outcome[uri], "unchanged", `${uri}, which nobody wants again`);
        for (const uri of uris) check(asked.includes(uri), `somebody was asked about ${uri}`, asked);
        const first = uris[0] ?? "";
        const rest = await given(async (uri) => (uri === first ? { wanted: false } : undefined));
        equal(rest, { ...all("given"), [first]: "unchanged" }, "one that nobody wants, and the rest");
      },
    ],
    [
      "stops-when-told",
      "",
      async () => {
        const source = await subject.create();
        await throwsCode(() => collect(source.items(AbortSignal.abort())), "aborted", "a signal that has fired");
      },
    ],
  ]);
}
