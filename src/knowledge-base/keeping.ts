import { type Caller, type Gate, operator } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { Diagnosis, FindingKind } from "../contracts/diagnosis.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { versionKey } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { DeletedSummary, Store } from "../contracts/store.ts";
import type { ModelCheck } from "./parts.ts";
import type { AuthorizedScopes, Scope, SystemAuthority } from "../contracts/scope.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { checkOptions } from "../runtime/check-options.ts";

/** The parts that the verbs about documents and about keeping use. */
export interface KeepingParts {
  readonly store: Store;
  readonly gate: Gate;
  readonly caller: Caller;
  readonly authority: SystemAuthority;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly resolveUri: ((uri: string) => string) | undefined;
  readonly embedder: Embedder | undefined;
  readonly isReembedding: (scope: Scope) => boolean;
  readonly modelCheck: ModelCheck;
}

type Keeping = Pick<KnowledgeBase, "restore" | "vacuum" | "reset" | "chunks" | "doctor">;

/** How long what was deleted is kept. **Source** ToolUp. */
const defaultRetentionMs = 7 * 86_400_000;

/** The verbs about what is kept, for how long, and whether all of it is well. Maintenance is for the operator alone: it goes over every scope. */
export function createKeeping(parts: KeepingParts): Keeping {
  const { store, gate, caller, authority, readable, embedder } = parts;

  async function maintain(verb: string): Promise<void> {
    // `readable` also throws when the knowledge base is closed.
    await readable([]);
    if (caller === operator) return;
    throw new IbidError("access-denied", `${verb} goes over every scope, and is for the operator alone.`, {
      hint: "Call it on the knowledge base itself, not on a caller's view; at a terminal, leave out --as-user and --as-team.",
    });
  }

  /** Whether the files are rid of what was purged. */
  const pending = async (): Promise<{ readonly pending?: true }> =>
    ((await store.upkeep?.scrub(authority)) ?? true) ? {} : { pending: true };

  return {
    async restore(uri, address = {}) {
      checkOptions("restore", address, ["scope"]);
      const { trash } = store;
      if (trash === undefined) {
        throw new IbidError("unsupported", "This store keeps no deleted documents; restore needs them.", {
          hint: "Ingest the document again, or use a store with a trash.",
        });
      }
      const found = await findDeleted(parts, uri, address);
      const restored = [];
      for (const { scope, id, uri: own } of found) {
        const chunks = await trash.restore(gate.write(caller, scope), { documentIds: [id] });
        restored.push({ uri: own, scope, chunks });
      }
      return restored;
    },

    async vacuum(options = {}) {
      checkOptions("vacuum", options, ["olderThanMs"]);
      await maintain("A vacuum");
      const olderThanMs = options.olderThanMs ?? defaultRetentionMs;
      const chunks = (await store.trash?.vacuum(authority, { olderThanMs })) ?? 0;
      return { chunks, ...(await pending()) };
    },

    async reset(scope) {
      await readable([]);
      const { chunks } = await store.delete(gate.write(caller, parseScope(scope)), { scope: true });
      return { chunks, ...(await pending()) };
    },

    async *chunks(options = {}) {
      checkOptions("chunks", options, ["scope", "filter", "uri"]);
      const { scope, filter, uri } = options;
      const scopes = await readable(scope === undefined ? undefined : [parseScope(scope)]);
      const chosen = { ...(filter !== undefined && { filter: parseFilter(filter) }) };
      if (uri === undefined) return yield* store.chunks(scopes, chosen);
      const resolved = parts.resolveUri?.(uri) ?? uri;
      const found = [...(await store.find(scopes, uri))];
      if (found.length === 0 && resolved !== uri) found.push(...(await store.find(scopes, resolved)));
      const [only, ...others] = found;
      if (only === undefined) return;
      if (others.length > 0)
        throw severalScopes(
          uri,
          found.map(({ summary }) => summary),
        );
      yield* store.chunks(await readable([only.summary.scope]), { ...chosen, documentId: only.summary.id });
    },

    async doctor(options = {}) {
      checkOptions("doctor", options, ["fix", "absent"]);
      await maintain("An examination");
      if (store.upkeep === undefined) {
        throw new IbidError("unsupported", "This store cannot examine itself.", { hint: "Use one of ibid's own." });
      }
      const diagnosis = await store.upkeep.examine(authority, options);
      const stale = await countStale(store, await readable(), embedder);
      return stale === 0 ? diagnosis : withStale(diagnosis, stale);
    },
  };
}

/** Documents of that uri that can be restored, in scopes that the caller may read. **Errors** `ambiguous`. */
export async function findDeleted(
  { store, readable, resolveUri }: Pick<KeepingParts, "store" | "readable" | "resolveUri">,
  uri: string,
  address: DocumentAddress,
): Promise<readonly DeletedSummary[]> {
  // `readable` lists no scope of which everything was deleted. The shared scopes are searched all the same; others must be named.
  const usual: readonly Scope[] = address.scope === undefined ? (await readable()).scopes : [];
  const scopes = await readable(
    address.scope === undefined ? [...usual, "deployment", "platform"] : [parseScope(address.scope)],
  );
  if (store.trash === undefined) return [];
  const named = new Set([uri, resolveUri?.(uri) ?? uri]);
  const found: DeletedSummary[] = [];
  for await (const summary of store.trash.deleted(scopes)) if (named.has(summary.uri)) found.push(summary);
  if (new Set(found.map(({ scope }) => scope)).size > 1) throw severalScopes(uri, found);
  return found;
}

function severalScopes(uri: string, found: readonly { readonly scope: Scope }[]): IbidError {
  const scopes = [...new Set(found.map(({ scope }) => scope))];
  return new IbidError("ambiguous", `"${uri}" is in several scopes: ${scopes.join(", ")}.`, {
    uri,
    hint: `Say which: scope "${scopes[0]}", for example.`,
    details: { scopes },
  });
}

/** Chunks that searches by the model miss: they have no vector of its version. */
async function countStale(store: Store, scopes: AuthorizedScopes, embedder: Embedder | undefined): Promise<number> {
  // Before it has embedded anything, a model may not know how long its vectors are.
  const wanted = embedder?.version;
  if (wanted === undefined) return 0;
  const { chunks, embeddingVersions } = await store.status(scopes);
  const current = embeddingVersions.find((version) => versionKey(version) === versionKey(wanted));
  return chunks - (current?.chunks ?? 0);
}

function withStale(diagnosis: Diagnosis, count: number): Diagnosis {
  const kind: FindingKind = "stale-version";
  const message = "Chunks have no vector of the embedding model that is used now.";
  const hint = "Embed them anew (kb.reembed, ibid reembed), or ingest their documents again.";
  return {
    ...diagnosis,
    healthy: false,
    findings: [...diagnosis.findings, { kind, message, count, fixed: false, hint }],
  };
}
