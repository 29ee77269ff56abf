import { IbidError } from "../../contracts/errors.ts";
import type { DeletedDocument, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Tool } from "../../contracts/tool.ts";
import { searchOptions } from "../../search/search-options.ts";
import { createTool } from "./create-tool.ts";
import { asTitle, readShownAddress, showAddress } from "./format-results.ts";
import { narrowingFields } from "./narrowing.ts";
import { countField, optionField, textField, toolInput } from "./tool-input.ts";
import { count, text, toolOutput } from "./tool-output.ts";

interface ChangeToolOptions {
  readonly scopes?: readonly Scope[] | undefined;
  readonly about?: string | undefined;
}

interface Named {
  readonly document: string;
  readonly scope?: Scope | undefined;
}

/** Documents of one answer. */
const mostListed = 1000;

const address = {
  document: textField("The uri of a document.", 4096),
  scope: { ...narrowingFields.scope, schema: { type: "string", description: "The scope that the document is in." } },
};

/**
 * Makes `delete_document`, `restore_document` and `list_deleted`, for callers who may write.
 *
 * A deletion can be undone until a vacuum, so no tool purges. `restore_document` undoes one, and with `asOf` it writes a former version again.
 *
 * **Shape** `{ documents: [{ uri, scope, chunks }] }`. **Errors** `not-found`; `ambiguous`, `access-denied` and `unsupported` as those of the knowledge base.
 */
export function createChangeTools(
  kb: KnowledgeBase,
  { scopes, about = "the user's documents" }: ChangeToolOptions,
): readonly Tool[] {
  const outputSchema = toolOutput({
    documents: {
      type: "array",
      items: { type: "object", properties: { uri: text, scope: text, chunks: count }, required: ["uri", "scope"] },
    },
  });

  /** The scope of a call within those of the application. Each of several could have the document, so it is named. */
  function scopeOf(asked: Scope | undefined): { readonly scope?: Scope } {
    if (asked !== undefined && scopes?.includes(asked) === false) throw notFound("scope", "Leave scope out.");
    if (asked === undefined && scopes !== undefined && scopes.length > 1) {
      throw new IbidError("ambiguous", "The document may be in several scopes.", {
        hint: `Give scope: ${scopes.join(", ")}.`,
      });
    }
    const scope = asked ?? scopes?.[0];
    return scope === undefined ? {} : { scope };
  }

  /** Changes the document of an address, as it is or as results show it. */
  async function change(
    { document, scope }: Named,
    verb: (uri: string, at: { readonly scope?: Scope }) => Promise<readonly DeletedDocument[]>,
    hint: string,
  ) {
    const at = scopeOf(scope);
    for (const uri of [document, readShownAddress(document)]) {
      const found = uri === undefined ? [] : await verb(uri, at);
      if (found.length === 0) continue;
      const documents = found.map((one) => ({ uri: showAddress(one.uri), scope: one.scope, chunks: one.chunks }));
      return { text: JSON.stringify({ documents }), data: { documents } };
    }
    throw notFound("document", hint);
  }

  return [
    createTool({
      name: "delete_document",
      title: "Delete a document",
      description: `Deletes one of ${about}. Until it is vacuumed, restore_document brings it back.`,
      readOnly: false,
      inputSchema: toolInput(address),
      outputSchema,
      run: (input) => change(input, (uri, at) => kb.delete(uri, at), "See list_documents for the uris."),
    }),
    createTool({
      name: "restore_document",
      title: "Restore a document",
      description:
        "Restores a deleted document. With asOf, writes a document again as it stood at that time, and keeps the version that stands as a former one.",
      readOnly: false,
      inputSchema: toolInput({
        ...address,
        asOf: optionField<string>(searchOptions.asOf, {
          description: "Time at which the version stood that is written again: the from of one in list_versions.",
        }),
      }),
      outputSchema,
      run: ({ asOf, ...input }) =>
        change(
          input,
          (uri, at) => kb.restore(uri, { ...at, ...(asOf !== undefined && { asOf }) }),
          asOf === undefined ? "See list_deleted for the uris." : "See list_documents and list_deleted for the uris.",
        ),
    }),
    createTool({
      name: "list_deleted",
      title: "List deleted documents",
      description: "Lists deleted documents that restore_document brings back.",
      inputSchema: toolInput({
        limit: countField("Documents at most.", { least: 1, most: mostListed, default: 50 }),
      }),
      outputSchema: toolOutput({
        documents: {
          type: "array",
          items: {
            type: "object",
            properties: { uri: text, scope: text, title: text, deletedAt: text },
            required: ["uri", "scope", "title", "deletedAt"],
          },
        },
        more: { type: "boolean" },
      }),
      async run({ limit = 50 }) {
        const documents: object[] = [];
        let more = false;
        for await (const { uri, scope, title, deletedAt } of kb.deleted()) {
          if (scopes?.includes(scope) === false) continue;
          if ((more = documents.length === limit)) break;
          documents.push({ uri: showAddress(uri), scope, title: asTitle(title), deletedAt });
        }
        const data = { documents, more };
        return { text: JSON.stringify(data), data };
      },
    }),
  ];
}

/** One refusal for documents that do not exist and for those that may not be read. */
function notFound(what: string, hint: string): IbidError {
  return new IbidError("not-found", `There is no such ${what} here.`, { hint });
}
