import type { DocumentSummary, FolderCount } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase, ListOptions } from "../contracts/knowledge-base.ts";
import type { SearchOptions } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";
import { createRun } from "../runtime/create-run.ts";
import { sha256 } from "../runtime/hash.ts";
import { type BodyChoices, shareSearchBody, type SharedSearches } from "./search-body.ts";

/** Names under which readers see documents: a file by its folder's name and its path below it, never by where it lies on this machine. */
export interface PublicNames {
  /** The knowledge base of a reader, in which no uri is a path of this machine. */
  hide(kb: KnowledgeBase): KnowledgeBase;
  /** The uris that have a public name for some reader; any other uri is itself. */
  readonly resolveAll: (name: string) => Promise<readonly string[]>;
}

const isLocal = (uri: string): boolean => /^(?:[\\/]|[a-z]:[\\/]|file:)/iu.test(uri);

/** Fields that hold a uri, or the address of a section below it. */
const namesDocument = (key: string): boolean => key === "uri" || key === "source" || key.endsWith("Url");

/** Limits of a search that name documents. */
type Narrowed = Pick<SearchOptions, "under" | "uris">;

/** The list of names is read again for an unknown one, at most this often. **Units** milliseconds. */
const leastAge = 1000;

/**
 * **Shape** `docs/keys.md` for `/srv/data/docs/keys.md` of the ingested folder `/srv/data/docs`. A reader sees a hash
 * behind all but the first of their own files of one name. Files of others change no name.
 * **Cost** a listing of all documents for the first reader, and after a document came. A name of several files costs a look-up of each.
 */
export function createPublicNames(all: KnowledgeBase): PublicNames {
  /** Plain names by uri, and the files of each plain name. */
  let byUri = new Map<string, string>();
  let byName = new Map<string, readonly string[]>();
  /** The scopes that a file is in. */
  let scopesOf = new Map<string, Set<Scope>>();
  let readAt = -Infinity;

  async function refresh(): Promise<void> {
    if (performance.now() - readAt < leastAge) return;
    const [names, uris, scopes] = [
      new Map<string, string>(),
      new Map<string, string[]>(),
      new Map<string, Set<Scope>>(),
    ];
    for await (const { uri, rootLabel, path, scope } of all.list()) {
      if (isLocal(uri)) scopes.set(uri, (scopes.get(uri) ?? new Set()).add(scope));
      if (!isLocal(uri) || names.has(uri)) continue;
      const plain = [rootLabel, path ?? baseName(uri)].filter((part) => part !== undefined && part !== "").join("/");
      names.set(uri, plain);
      uris.set(plain, [...(uris.get(plain) ?? []), uri]);
    }
    [byUri, byName, scopesOf, readAt] = [names, uris, scopes, performance.now()];
  }

  const know = async (uris: Iterable<string>): Promise<void> => {
    for (const uri of uris) if (isLocal(uri) && !byUri.has(uri)) return refresh();
  };
  /** The files of a plain name, or of one with a hash behind it. */
  async function filesOf(name: string): Promise<readonly string[]> {
    const plain = name.replace(hashSuffix, "");
    if (!byName.has(name) && !byName.has(plain)) await refresh();
    return byName.get(name) ?? byName.get(plain) ?? [];
  }

  /** Every `uri` in a value, at any depth; texts of documents stay as they are. */
  function urisIn(value: unknown, into: Set<string>): void {
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return;
    for (const [key, inner] of Object.entries(value)) {
      if (namesDocument(key) && typeof inner === "string") into.add(inner.split("#")[0]!);
      else urisIn(inner, into);
    }
  }
  function rename<Value>(value: Value, publish: (uri: string) => string): Value {
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
    if (Array.isArray(value)) {
      const list = value.map((each: unknown) => rename(each, publish));
      const rest = Object.entries(value).filter(([key]) => !/^\d+$/u.test(key));
      return Object.assign(
        list,
        Object.fromEntries(rest.map(([key, inner]) => [key, rename(inner, publish)])),
      ) as Value;
    }
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    const entries = Object.entries(value).map(([key, inner]: [string, unknown]): [string, unknown] => {
      if (namesDocument(key) && typeof inner === "string") {
        const [uri = "", ...place] = inner.split("#");
        return [
          key,
          isLocal(inner)
            ? [publish(byUri.has(inner) ? inner : uri), ...(byUri.has(inner) ? [] : place)].join("#")
            : inner,
        ];
      }
      if (key === "folder") return [key, null];
      return [key, key === "metadata" ? inner : rename(inner, publish)];
    });
    return Object.fromEntries(entries) as Value;
  }

  /** Public names as one reader has them. */
  function namesOf(kb: KnowledgeBase) {
    /** The files that the reader may read, of some. */
    async function readable(uris: Iterable<string>): Promise<readonly string[]> {
      const may = new Map<Scope, boolean>();
      const found: string[] = [];
      for (const uri of uris) {
        for (const scope of scopesOf.get(uri) ?? []) {
          if (!may.has(scope)) may.set(scope, await holdsSomething(kb, scope));
          if (may.get(scope) !== true) continue;
          found.push(uri);
          break;
        }
      }
      return found;
    }
    async function publisher(uris: Iterable<string>): Promise<(uri: string) => string> {
      const names = new Map<string, string>();
      for (const uri of uris) {
        const plain = byUri.get(uri);
        const all = plain === undefined ? [] : byName.get(plain)!;
        const isFirst = all.length === 1 || (all.length > 1 && (await readable(all))[0] === uri);
        if (plain !== undefined) names.set(uri, isFirst ? plain : withHash(plain, uri));
      }
      return (uri) => (isLocal(uri) ? (names.get(uri) ?? withHash(baseName(uri), uri)) : uri);
    }
    async function resolve(name: string): Promise<string> {
      const all = await filesOf(name);
      const may = all.length > 1 ? await readable(all) : all;
      const publish = await publisher(may);
      return may.find((uri) => publish(uri) === name) ?? name;
    }
    /** Prefixes of stored uris in place of those of public names. A prefix of this machine's paths is none. */
    async function withStoredPrefixes(under: string | readonly string[]): Promise<readonly string[]> {
      const prefixes = typeof under === "string" ? [under] : under;
      const isKnown = (prefix: string): boolean => Array.from(byName.keys()).some((name) => name.startsWith(prefix));
      if (!prefixes.every(isKnown)) await refresh();
      const own = await readable(byUri.keys());
      return [...new Set(prefixes.flatMap((prefix) => storedPrefixes(prefix, own)))];
    }
    return {
      resolve,
      withStoredNames: async <Options extends Narrowed>(options?: Options): Promise<Options | undefined> => ({
        ...options!,
        ...(options?.under !== undefined && { under: await withStoredPrefixes(options.under) }),
        ...(options?.uris !== undefined && {
          uris: await Promise.all(options.uris.filter((uri) => !isLocal(uri)).map(resolve)),
        }),
      }),
      seesFiles: async (): Promise<boolean> => (await readable(byUri.keys())).length > 0,
      publish: async (uri: string): Promise<string> => {
        await know([uri]);
        return (await publisher([uri]))(uri);
      },
      shown: async <Value>(value: Value): Promise<Value> => {
        const uris = new Set<string>();
        urisIn(value, uris);
        await know(uris);
        return rename(value, await publisher(uris));
      },
    };
  }
  /** A run or a listing, each of whose values is shown. */
  const shownBy =
    (shown: <Value>(value: Value) => Promise<Value>) =>
    <Run extends AsyncIterable<unknown>>(run: Run): Run => {
      const iterable = {
        async *[Symbol.asyncIterator]() {
          for await (const value of run) yield await shown(value);
        },
      };
      // `then` makes the run one that can be awaited, as it was.
      const { then } = run as unknown as { then?: PromiseLike<unknown>["then"] };
      if (then === undefined) return iterable as unknown as Run;
      const awaited: PromiseLike<unknown>["then"] = (resolved, rejected) =>
        (run as unknown as PromiseLike<unknown>).then(shown).then(resolved, rejected);
      return {
        ...iterable,
        // oxlint-disable-next-line unicorn/no-thenable -- a run is a promise that can be iterated
        then: awaited,
        catch: (rejected: () => void) => awaited(undefined, rejected),
      } as unknown as Run;
    };

  function storedPrefixes(prefix: string, own: readonly string[]): readonly string[] {
    const found = isLocal(prefix) ? [] : [prefix];
    for (const uri of own) {
      const name = byUri.get(uri)!;
      if (!name.startsWith(prefix)) continue;
      const rest = name.slice(prefix.length);
      found.push(rest !== "" && uri.endsWith(rest) ? uri.slice(0, -rest.length) : uri);
    }
    return found;
  }

  /** Whether a document of this uri is there, and no known file has the name: then the list of names is not needed. */
  async function isStored(kb: KnowledgeBase, { uri, scope }: NonNullable<ListOptions["after"]>): Promise<boolean> {
    if (readAt === -Infinity || isLocal(uri) || byName.has(uri) || byName.has(uri.replace(hashSuffix, "")))
      return false;
    for await (const one of kb.list({ scope, under: uri, limit: 1 })) return one.uri === uri;
    return false;
  }

  /** The list by options in which a uri is a public name. **Cost** where files of this machine are listed, a prefix that is not one folder reads the whole list. */
  async function* listByName(
    kb: KnowledgeBase,
    { resolve, publish, seesFiles }: ReturnType<typeof namesOf>,
    options: ListOptions = {},
  ): AsyncGenerator<DocumentSummary> {
    if (options.under === undefined && options.after === undefined) return yield* kb.list(options);
    if (options.under === undefined && (await isStored(kb, options.after!))) return yield* kb.list(options);
    const { under, limit = Infinity, ...rest } = options;
    const stored = under?.endsWith("/") === true && !isLocal(under) ? await storedFolder(kb, under) : undefined;
    if (stored === undefined || readAt === -Infinity) await refresh();
    // Files that the reader may not read must not show by an error.
    if (!(await seesFiles())) return yield* kb.list(options);
    // A uri with a scheme, such as that of a note, is the name of no file: readers see it as it is stored.
    const names = [...byName.keys()];
    const isNoFile = (uri: string): boolean =>
      /^[a-z][\d+.a-z-]+:/iu.test(uri) && !isLocal(uri) && !names.some((name) => name.startsWith(uri));
    const isPosition = options.after === undefined || isNoFile(options.after.uri);
    if (isPosition && under !== undefined && isNoFile(under)) return yield* kb.list(options);
    const from = options.after && { uri: await resolve(options.after.uri), scope: options.after.scope };
    if (
      from !== undefined &&
      !isPosition &&
      (await kb.document(from.uri, { scope: from.scope, start: 0, end: 0 })) === undefined
    )
      throw new IbidError("invalid-argument", "The document that `after` names is gone.", {
        hint: "List from the beginning.",
      });
    const after = from && { after: from };
    if (under === undefined) return yield* kb.list({ ...options, ...after });
    if (stored !== undefined) return yield* kb.list({ ...options, ...after, under: stored });
    let left = limit;
    for await (const summary of kb.list({ ...rest, ...after })) {
      if (!(await publish(summary.uri)).startsWith(under)) continue;
      yield summary;
      if (--left === 0) return;
    }
  }

  return {
    async resolveAll(name) {
      const uris = isLocal(name) ? [] : await filesOf(name);
      return uris.length === 0 ? [name] : uris;
    },
    hide(kb) {
      const shared = (kb as SharedSearches)[shareSearchBody];
      const names = namesOf(kb);
      const { resolve, shown, withStoredNames } = names;
      const shownRun = shownBy(shown);
      return {
        ...kb,
        ...(shared && {
          [shareSearchBody]: (query: string, options: SearchOptions, choices: BodyChoices) =>
            shared(query, options, { ...choices, isHidden: true }),
        }),
        search: async (query, options) => shown(await kb.search(query, await withStoredNames(options))),
        ask: (question, options = {}) =>
          options.under === undefined && options.uris === undefined
            ? shownRun(kb.ask(question, options))
            : createRun(async function* () {
                const run = shownRun(kb.ask(question, await withStoredNames(options)));
                yield* run;
                return await run;
              }),
        verify: async (answer, options) => shown(await kb.verify(answer, options)),
        list: (options) => shownRun(listByName(kb, names, options)),
        folders: async (options) => (await kb.folders(options)).map((one) => ({ ...one, uri: publicFolder(one) })),
        document: async (uri, address) => shown(await kb.document(await resolve(uri), address)),
        outline: async (uri, address) => shown(await kb.outline(await resolve(uri), address)),
        section: async (uri, id, options) => shown(await kb.section(await resolve(uri), id, options)),
        expand: async (chunk, options) => shown(await kb.expand(chunk, options)),
        chunks: (options) => shownRun(kb.chunks(options)),
        delete: async (target, options) =>
          shown(await kb.delete(typeof target === "string" ? await resolve(target) : target, options)),
        versions: async (uri, address) => kb.versions(await resolve(uri), address),
        deleted: () => shownRun(kb.deleted()),
        restore: async (target, address) =>
          shown(await kb.restore(typeof target === "string" ? await resolve(target) : target, address)),
      };
    },
  };
}

/** The prefix of all stored uris below a public folder; `undefined` where they have several. **Cost** a row for each folder and kind. */
async function storedFolder(kb: KnowledgeBase, under: string): Promise<string | undefined> {
  const found = new Set<string>();
  for (const one of await kb.folders()) {
    const name = publicFolder(one);
    if (!name.startsWith(under)) continue;
    const rest = name.slice(under.length);
    found.add(rest !== "" && one.uri.endsWith(rest) ? one.uri.slice(0, -rest.length) : one.uri);
  }
  return found.size === 1 ? [...found][0] : undefined;
}

/** The public name of a folder, with its slash. */
function publicFolder({ uri, rootLabel = "", path = "" }: FolderCount): string {
  if (!isLocal(uri)) return uri;
  return rootLabel === "" ? path : `${rootLabel}/${path}`;
}

async function holdsSomething(kb: KnowledgeBase, scope: Scope): Promise<boolean> {
  for await (const _ of kb.list({ scope, limit: 1 })) return true;
  return false;
}

const hashSuffix = /~[0-9a-f]{8}$/u;
const withHash = (name: string, uri: string): string => `${name}~${sha256(uri).slice(0, 8)}`;
const baseName = (uri: string): string => uri.split(/[\\/]/u).at(-1)!;
