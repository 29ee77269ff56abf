import { narrowProof } from "../access/gate.ts";
import type { CollectionPlan } from "./records/check-definition.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Store } from "../contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { recordKeys, recordsUri } from "./records/collection-uri.ts";
import { hashParts } from "../runtime/hash.ts";

/** Under which definition a scope's records are kept. */
export interface CollectionMark {
  /** `""` while they are being written again. */
  readonly fingerprint: string;
  readonly models: string;
  /** Indexes of an engine that keeps the records, as JSON. */
  readonly indexes?: string | undefined;
  /** Fields of those records and their roles, as JSON: for a process that has no definition. */
  readonly fields?: string | undefined;
}

/**
 * Whether the collection is there. Records that were kept under another definition would be filtered and compared by what they do not have. Records that are
 * kept elsewhere would not be found.
 *
 * **Errors** `configuration-missing` in those cases.
 */
export async function checkCollection(
  store: Store,
  scopes: AuthorizedScopes,
  uri: string,
  plan: CollectionPlan,
): Promise<boolean> {
  const found = await store.find(scopes, uri);
  for (const { document, summary } of found) {
    const { scope } = summary;
    const { [recordKeys.definition]: definition, [recordKeys.indexes]: indexes } = document.metadata;
    const refuse = (problem: string): IbidError =>
      new IbidError("configuration-missing", `The collection ${plan.name} in ${scope} ${problem}.`, {
        uri,
        hint: `Define it as it was, or have its records written again with rebuild({ scope: "${scope}" }).`,
        details: { scope },
      });
    if (definition === "") throw refuse("is being rebuilt, or a rebuild was stopped half-way");
    if (plan.keptIn === "documents" && indexes !== undefined) throw refuse("has its records in an engine");
    if (plan.keptIn === "engine" && indexes === undefined) {
      for await (const _ of store.documents(narrowProof(scopes, [scope]), { under: recordsUri(plan.name) }))
        throw refuse("has its records in documents");
    }
    if (definition !== plan.fingerprint)
      throw refuse("was written under another definition: other fields, or other models");
  }
  return found.length > 0;
}

/** Writes down that a collection is there, and under which definition: as a document without text, so that it goes where its scope goes. */
export async function markCollection(
  store: Store,
  into: AuthorizedScopes<"write">,
  { uri, name, scope }: { readonly uri: string; readonly name: string; readonly scope: Scope },
  { fingerprint, models, indexes, fields }: CollectionMark,
): Promise<void> {
  await store.replace(into, {
    document: {
      type: "text",
      id: hashParts(scope, uri),
      uri,
      title: name,
      mediaType: "text/plain",
      text: "",
      metadata: {
        [recordKeys.collection]: name,
        [recordKeys.definition]: fingerprint,
        [recordKeys.models]: models,
        ...(indexes !== undefined && { [recordKeys.indexes]: indexes }),
        ...(fields !== undefined && { [recordKeys.fields]: fields }),
      },
      origin: "user-content",
      root: { id: "0", title: name, level: 0, start: 0, end: 0, contentStart: 0, children: [] },
      sourceMap: { lines: "none" },
    },
    chunks: [],
    contentHash: fingerprint,
    metadataHash: indexes === undefined ? models : hashParts(models, indexes, fields ?? ""),
    fingerprint: "collection/1",
    bytes: 0,
    folder: null,
  });
}
