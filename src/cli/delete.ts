import type { DeletedDocument } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { pendingNote } from "./keeping.ts";
import { type CommonOptions, type Context, findUris, noDocument, withKnowledgeBase } from "./open.ts";
import { count, neutralise } from "./text-layout.ts";

export interface DeleteCommandOptions extends CommonOptions {
  readonly scope?: Scope;
  readonly purge?: true;
}

/**
 * `ibid delete`: takes a document out.
 *
 * **Shape** the exit code is 1 when there is no such document, said in the same words when it is not the caller's to see.
 */
export async function deleteDocument(context: Context, typed: string, options: DeleteCommandOptions): Promise<number> {
  const { output } = context;
  const uris = await findUris(options, typed);
  return await withKnowledgeBase(options, {}, async (kb) => {
    let deleted: readonly DeletedDocument[] = [];
    for (const uri of uris) {
      deleted = await kb.delete(uri, {
        ...(options.scope !== undefined && { scope: options.scope }),
        purge: options.purge === true,
      });
      if (deleted.length > 0) break;
    }
    if (output.json)
      await output.object({
        deleted: deleted.map(({ uri, scope, chunks, pending }) => ({
          uri,
          scope,
          chunks,
          ...(pending && { pending }),
        })),
      });
    if (deleted.length === 0) throw noDocument(typed, options.scope);
    for (const { uri, scope, chunks } of deleted) {
      await output.line(
        `${options.purge === true ? "purged" : "deleted"} ${neutralise(uri)} from ${neutralise(scope)}  ${output.style.dim(count(chunks, "chunk"))}`,
      );
    }
    if (deleted.some(({ pending }) => pending)) await output.line(pendingNote);
    return 0;
  });
}
