import type { DocumentSummary } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase, ListOptions } from "../contracts/knowledge-base.ts";
import { createRun } from "../runtime/create-run.ts";
import { sha256 } from "../runtime/hash.ts";

/** Names under which readers see documents: a file by its folder's name and its path below it, never by where it lies on this machine. */
export interface PublicNames {
  /** The knowledge base of a reader, in which no uri is a path of this machine. */
  hide(kb: KnowledgeBase): KnowledgeBase;
  /** The uri of a public name; any other uri is itself. */
  resolve(name: string): Promise<string>;
}

const isLocal = (uri: string): boolean => /^(?:[\\/]|[a-z]:[\\/]|file:)/iu.test(uri);

/** Fields that hold a uri, or the address of a section below it. */
const namesDocument = (key: string): boolean => key === "uri" || key === "source" || key.endsWith("Url");

/** The list of names is read again for an unknown one, at most this often. **Units** milliseconds. */
const leastAge = 1000;

/**
 * **Shape** `docs/keys.md` for `/srv/data/docs/keys.md` of the ingested folder `/srv/data/docs`. Two files that would share a name get a hash behind it.
 * **Cost** a listing of all documents for the first reader, and after a document came.
 */
export function createPublicNames(all: KnowledgeBase): PublicNames {
  let byUri = new Map<string, string>();
  let byName = new Map<string, string>();
  let readAt = -Infinity;

  async function refresh(): Promise<void> {
    if (performance.now() - readAt < leastAge) return;
    const [names, uris] = [new Map<string, string>(), new Map<string, string>()];
    for await (const { uri, rootLabel, path } of all.list()) {
      if (!isLocal(uri) || names.has(uri)) continue;
      const plain = [rootLabel, path ?? baseName(uri)].filter((part) => part !== undefined && part !== "").join("/");
      const name = uris.has(plain) ? `${plain}~${sha256(uri).slice(0, 8)}` : plain;
      names.set(uri, name);
      uris.set(name, uri);
    }
    [byUri, byName, readAt] = [names, uris, performance.now()];
  }

  const publish = (uri: string): string =>
    isLocal(uri) ? (byUri.get(uri) ?? `${baseName(uri)}~${sha256(uri).slice(0, 8)}`) : uri;
  const resolve = async (name: string): Promise<string> => {
    if (!byName.has(name)) await refresh();
    return byName.get(name) ?? name;
  };
  const know = async (uris: Iterable<string>): Promise<void> => {
    for (const uri of uris) if (isLocal(uri) && !byUri.has(uri)) return refresh();
  };

  /** Every `uri` in a value, at any depth; texts of documents stay as they are. */
  function urisIn(value: unknown, into: Set<string>): void {
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return;
    for (const [key, inner] of Object.entries(value)) {
      if (namesDocument(key) && typeof inner === "string") into.add(inner.split("#")[0]!);
      else urisIn(inner, into);
    }
  }
  function rename<Value>(value: Value): Value {
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
    if (Array.isArray(value)) {
      const list = value.map((each: unknown) => rename(each));
      const rest = Object.entries(value).filter(([key]) => !/^\d+$/u.test(key));
      return Object.assign(list, Object.fromEntries(rest.map(([key, inner]) => [key, rename(inner)]))) as Value;
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
      return [key, key === "metadata" ? inner : rename(inner)];
    });
    return Object.fromEntries(entries) as Value;
  }
  async function shown<Value>(value: Value): Promise<Value> {
    const uris = new Set<string>();
    urisIn(value, uris);
    await know(uris);
    return rename(value);
  }
  /** A run or a listing, each of whose values is shown. */
  const shownRun = <Run extends AsyncIterable<unknown>>(run: Run): Run => {
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

  /** The list by options in which a uri is a public name. **Cost** where files of this machine are listed, a prefix reads the whole list. */
  async function* listByName(kb: KnowledgeBase, options: ListOptions = {}): AsyncGenerator<DocumentSummary> {
    if (options.under === undefined && options.after === undefined) return yield* kb.list(options);
    await refresh();
    if (byName.size === 0) return yield* kb.list(options);
    const { under, limit = Infinity, ...rest } = options;
    const from = options.after && {
      uri: byName.get(options.after.uri) ?? options.after.uri,
      scope: options.after.scope,
    };
    if (
      from !== undefined &&
      !byUri.has(from.uri) &&
      (await kb.document(from.uri, { scope: from.scope, start: 0, end: 0 })) === undefined
    )
      throw new IbidError("invalid-argument", "The document that `after` names is gone.", {
        hint: "List from the beginning.",
      });
    const after = from && { after: from };
    if (under === undefined) return yield* kb.list({ ...options, ...after });
    let left = limit;
    for await (const summary of kb.list({ ...rest, ...after })) {
      await know([summary.uri]);
      if (!publish(summary.uri).startsWith(under)) continue;
      yield summary;
      if (--left === 0) return;
    }
  }

  /** Prefixes of stored uris in place of those of public names. A prefix of this machine's paths is none. */
  async function withStoredPrefixes<Options extends { readonly under?: string | readonly string[] | undefined }>(
    options?: Options,
  ): Promise<Options | undefined> {
    if (options?.under === undefined) return options;
    const prefixes = typeof options.under === "string" ? [options.under] : options.under;
    const isKnown = (prefix: string): boolean => Array.from(byName.keys()).some((name) => name.startsWith(prefix));
    if (!prefixes.every(isKnown)) await refresh();
    return { ...options, under: [...new Set(prefixes.flatMap(storedPrefixes))] };
  }

  function storedPrefixes(prefix: string): readonly string[] {
    const found = isLocal(prefix) ? [] : [prefix];
    for (const [name, uri] of byName) {
      if (!name.startsWith(prefix)) continue;
      const rest = name.slice(prefix.length);
      found.push(rest !== "" && uri.endsWith(rest) ? uri.slice(0, -rest.length) : uri);
    }
    return found;
  }

  return {
    async resolve(name) {
      if (!byName.has(name) && !isLocal(name)) await refresh();
      return byName.get(name) ?? name;
    },
    hide: (kb) => ({
      ...kb,
      search: async (query, options) => shown(await kb.search(query, await withStoredPrefixes(options))),
      ask: (question, options = {}) =>
        options.under === undefined
          ? shownRun(kb.ask(question, options))
          : createRun(async function* () {
              const run = shownRun(kb.ask(question, await withStoredPrefixes(options)));
              yield* run;
              return await run;
            }),
      verify: async (answer, options) => shown(await kb.verify(answer, options)),
      list: (options) => shownRun(listByName(kb, options)),
      document: async (uri, address) => shown(await kb.document(await resolve(uri), address)),
      outline: async (uri, address) => shown(await kb.outline(await resolve(uri), address)),
      section: async (uri, id, options) => shown(await kb.section(await resolve(uri), id, options)),
      expand: async (chunk, options) => shown(await kb.expand(chunk, options)),
      chunks: (options) => shownRun(kb.chunks(options)),
      delete: async (target, options) =>
        shown(await kb.delete(typeof target === "string" ? await resolve(target) : target, options)),
      versions: async (uri, address) => kb.versions(await resolve(uri), address),
      deleted: () => shownRun(kb.deleted()),
      restore: async (uri, address) => shown(await kb.restore(await resolve(uri), address)),
    }),
  };
}

const baseName = (uri: string): string => uri.split(/[\\/]/u).at(-1)!;
