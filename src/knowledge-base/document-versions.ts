import { parseScope } from "../access/scopes.ts";
import type { DocumentSummary, DocumentVersion } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DeletedDocument, DocumentAddress } from "../contracts/knowledge-base.ts";
import type { DeletedSummary, Store } from "../contracts/store.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { readTime } from "../runtime/read-time.ts";
import { findDocument } from "./catalogue.ts";
import type { KeepingParts } from "./parts.ts";

/** The versions of one document: their list, and one of them written again. */
interface DocumentVersions {
  list(uri: string, address?: DocumentAddress): Promise<readonly DocumentVersion[]>;
  restore(uri: string, asOf: string, address: DocumentAddress): Promise<readonly DeletedDocument[]>;
}

/** `findDeleted` gives deleted documents of a uri, in scopes that the caller may write. */
export function createDocumentVersions(
  parts: KeepingParts,
  findDeleted: (uri: string, address: DocumentAddress) => Promise<readonly DeletedSummary[]>,
): DocumentVersions {
  const { store, gate, caller, readable, resolveUri } = parts;

  /** **Errors** `unsupported`. */
  function requireHistory(): NonNullable<Store["history"]> {
    if (store.history !== undefined) return store.history;
    throw new IbidError("unsupported", "This store keeps no former versions of documents.", {
      hint: "Use a knowledge base in a folder or in memory, opened with history: true.",
    });
  }

  /** The document of a uri, or a deleted one. An archive names all that came out of it, and has no versions. **Errors** `ambiguous`. */
  async function find(uri: string, address: DocumentAddress): Promise<DocumentSummary | DeletedSummary | undefined> {
    const found = await findDocument(parts, uri, address);
    if (found !== undefined) return found;
    return (await findDeleted(uri, address)).find((one) => [uri, resolveUri?.(uri)].includes(one.uri));
  }

  return {
    async list(uri, address = {}) {
      checkOptions("versions", address, { scope: true });
      const history = requireHistory();
      const found = await find(uri, address);
      return found === undefined ? [] : history.versions(await readable([found.scope]), found.id);
    },

    async restore(uri, asOf, { scope: asked }) {
      const time = Date.parse(readTime("asOf", asOf));
      const history = requireHistory();
      const found = await find(uri, asked === undefined ? {} : { scope: parseScope(asked) });
      if (found === undefined) return [];
      const { scope, id, uri: own } = found;
      const into = gate.write(caller, scope);
      const version = await history.version(await readable([scope]), id, time);
      if (version === undefined) {
        throw new IbidError("not-found", `${own} did not stand at ${asOf}.`, {
          uri: own,
          hint: "See its versions with versions(), or with ibid show --versions.",
        });
      }
      await store.replace(into, version);
      const { chunks } = version;
      return [{ uri: own, scope, chunks: "length" in chunks ? chunks.length : 0 }];
    },
  };
}
