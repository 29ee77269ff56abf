import { parseScope } from "../../access/scopes.ts";
import type { KnowledgeBase, ListOptions } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { IbidError } from "../../contracts/errors.ts";
import { plainDoc } from "../../runtime/describe-options.ts";
import { listOptions } from "../../search/list-options.ts";
import type { Tool } from "../../contracts/tool.ts";
import { createTool } from "./create-tool.ts";
import { createFixedView, type FixedLimits, type FixedView } from "./fixed-view.ts";
import { asTitle, showAddress } from "./format-results.ts";
import { countField, type Field, optionField, textField, toolInput } from "./tool-input.ts";
import { count, linkTo, text, toolOutput } from "./tool-output.ts";

interface ListToolOptions extends FixedLimits {
  readonly about?: string | undefined;
  readonly pageAddress?: string | undefined;
}

/** Values of one key that are listed, and documents that are looked at for them. */
const mostValues = 50;
const mostLookedAt = 5000;

/** The other options of a list that a model may give. */
const narrowing = Object.fromEntries(
  (["scope", "mediaType", "since", "before", "sort"] as const).map((name) => [
    name,
    optionField(listOptions[name], { description: plainDoc(listOptions[name]) }),
  ]),
);

const optional = (field: Field<string>): Field<string | undefined> => ({ ...field, required: false });

/**
 * Makes `list_documents`, `list_facets` and, without a filter, `list_versions`.
 *
 * **Shape** `{ documents: [{ uri, title, url, mediaType, chunks }], next? }`, in order of uri and scope; `{ facets: [{ key, values: [{ value, documents }], more }], documents, complete }`.
 * A document is counted only where the caller may read it. **Cost** a page reads its own rows, in an order other than `uri` the whole list; facets read at most 5,000 documents.
 */
export function createListTools(
  kb: KnowledgeBase,
  { about = "the user's documents", pageAddress, ...limits }: ListToolOptions,
): readonly Tool[] {
  const view = createFixedView(kb, limits);
  return [
    createTool({
      name: "list_documents",
      title: "List documents",
      description: `Lists ${about}, a page at a time.`,
      inputSchema: toolInput({
        prefix: optional(textField("Only documents whose uri begins so.", 4096)),
        ...narrowing,
        limit: countField("Documents of a page.", { least: 1, most: 200, default: 50 }),
        cursor: optional(textField("The next of the page before.", 8192)),
      }),
      outputSchema: toolOutput(
        {
          documents: {
            type: "array",
            items: {
              type: "object",
              properties: { uri: text, title: text, url: text, mediaType: text, chunks: count, ingestedAt: text },
              required: ["uri", "title", "url", "mediaType", "chunks"],
            },
          },
          next: text,
        },
        ["documents"],
      ),
      async run({ prefix, limit = 50, cursor, ...chosen }) {
        const after = cursor === undefined ? {} : { after: readPosition(cursor) };
        const under = prefix === undefined ? {} : { under: prefix };
        const documents: object[] = [];
        let last: readonly [string, string] | undefined;
        let next: string | undefined;
        const listed = view.documents({ ...(chosen as Omit<ListOptions, "limit">), ...under, ...after });
        for await (const { uri, scope, title, mediaType, chunks, ingestedAt } of listed) {
          if (documents.length === limit && last !== undefined) {
            next = makeCursor(last[0], last[1]);
            break;
          }
          last = [uri, scope];
          const url = linkTo({ uri, scope }, pageAddress);
          documents.push({ uri: showAddress(uri), title: asTitle(title), url, mediaType, chunks, ingestedAt });
        }
        const data = { documents, ...(next !== undefined && { next }) };
        return { text: JSON.stringify(data), data };
      },
    }),
    ...(limits.filter === undefined ? [createVersionsTool(view)] : []),
    createTool({
      name: "list_facets",
      title: "List facets",
      description: `Lists the keys and values of the metadata of ${about}, which a filter can name.`,
      inputSchema: toolInput({ key: optional(textField("Only this key.", 512)) }),
      outputSchema: toolOutput({
        facets: {
          type: "array",
          items: {
            type: "object",
            properties: {
              key: text,
              values: {
                type: "array",
                items: { type: "object", properties: { documents: count }, required: ["value", "documents"] },
              },
              more: { type: "boolean" },
            },
            required: ["key", "values", "more"],
          },
        },
        documents: count,
        complete: { type: "boolean" },
      }),
      async run({ key }, signal) {
        const counts = new Map<string, Map<string, number>>();
        let looked = 0;
        let complete = true;
        for await (const { uri, scope } of view.documents()) {
          if (looked === mostLookedAt) {
            complete = false;
            break;
          }
          signal?.throwIfAborted();
          looked++;
          const metadata = (await view.document(uri, scope, 0))?.metadata ?? {};
          for (const [name, value] of Object.entries(metadata)) {
            if (key !== undefined && name !== key) continue;
            const values = counts.get(name) ?? new Map<string, number>();
            counts.set(name, values);
            for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
              const shown = JSON.stringify(one);
              values.set(shown, (values.get(shown) ?? 0) + 1);
            }
          }
        }
        const facets = [...counts]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, values]) => ({
            key: asTitle(name),
            values: [...values]
              .toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
              .slice(0, mostValues)
              .map(([value, documents]) => ({ value: showValue(value), documents })),
            more: values.size > mostValues,
          }));
        const data = { facets, documents: looked, complete };
        return { text: JSON.stringify(data), data };
      },
    }),
  ];
}

/** Makes `list_versions`. **Shape** `{ versions: [{ from, to?, title, chunks, bytes }] }`, latest first; `from` of one is an `asOf` that reads it. */
function createVersionsTool(view: FixedView): Tool {
  return createTool({
    name: "list_versions",
    title: "List versions",
    description:
      "Lists the versions of a document, latest first. A search with asOf between from and to of one finds what it said.",
    inputSchema: toolInput({ document: textField("The uri of a document.", 4096) }),
    outputSchema: toolOutput({
      versions: {
        type: "array",
        items: {
          type: "object",
          properties: { from: text, to: text, title: text, chunks: count, bytes: count },
          required: ["from", "title", "chunks", "bytes"],
        },
      },
    }),
    async run({ document }) {
      const found = await view.versions(document);
      if (found === undefined) {
        throw new IbidError("not-found", "There is no such document here.", {
          hint: "See list_documents for the uris.",
        });
      }
      const versions = found.map(({ from, to, title, chunks, bytes }) => ({
        from,
        ...(to !== undefined && { to }),
        title: asTitle(title),
        chunks,
        bytes,
      }));
      const data = { versions };
      return { text: JSON.stringify(data), data };
    },
  });
}

function showValue(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? asTitle(value) : value;
}

/** A cursor holds the last uri and scope of its page: pages neither repeat nor skip a document when others come and go. */
export function makeCursor(uri: string, scope: string): string {
  return encodeURIComponent(JSON.stringify([uri, scope]));
}

/** **Errors** `invalid-argument` for a text that no page gave. */
function readCursor(cursor: string): readonly [uri: string, scope: string] {
  try {
    const read: unknown = JSON.parse(decodeURIComponent(cursor));
    if (Array.isArray(read) && read.length === 2 && read.every((one) => typeof one === "string"))
      return read as unknown as readonly [string, string];
  } catch {
    // Refused below.
  }
  throw new IbidError("invalid-argument", "The cursor is none that a page gave.", { hint: "Leave it out to begin." });
}

/** The document after which a page begins. **Errors** as `readCursor`. */
export function readPosition(cursor: string): { readonly uri: string; readonly scope: Scope } {
  const [uri, scope] = readCursor(cursor);
  return { uri, scope: parseScope(scope) };
}
