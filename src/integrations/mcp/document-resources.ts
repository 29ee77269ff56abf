import type * as Mcp from "@modelcontextprotocol/server";
import { parseScope } from "../../access/scopes.ts";
import type { DocumentSummary } from "../../contracts/document-store.ts";
import type { Scope } from "../../contracts/scope.ts";
import { makeCursor, readPosition } from "../tools/create-list-tools.ts";
import type { FixedView } from "../tools/fixed-view.ts";
import { asData, asTitle, showAddress } from "../tools/format-results.ts";

/** Resources of a page. Each is read for its size. */
const pageLength = 50;
/** Values that a completion offers. **Source** Model Context Protocol: at most 100. */
const mostCompleted = 100;

/**
 * Adds the documents as resources, which a person picks in a client for the model to read.
 *
 * **Shape** `ibid://documents/{scope}/{uri}`, both percent-encoded. The text is the document's, at most `maxLength` characters, quoted as data.
 * The list comes in pages, in order of uri and scope; scopes and uris are completed. **Errors** the protocol's own for a resource that does not exist or may not be read.
 * **Cost** a page reads its documents, for their sizes.
 */
export function addDocumentResources(server: Mcp.McpServer, mcp: typeof Mcp, view: FixedView, maxLength: number): void {
  const textOf = async (uri: string, scope: Scope): Promise<string | undefined> => {
    const found = await view.document(uri, scope, maxLength);
    return found && asData(found.text) + (found.length > found.end ? "\n[TRUNCATED]" : "");
  };
  const complete = async (value: string, of: (summary: DocumentSummary) => string): Promise<string[]> => {
    const found = new Set<string>();
    for await (const summary of view.documents()) {
      const one = encodeURIComponent(of(summary));
      if (one.startsWith(value) || of(summary).startsWith(value)) found.add(one);
      if (found.size === mostCompleted) break;
    }
    return [...found];
  };
  const template: Mcp.ResourceTemplate = new mcp.ResourceTemplate("ibid://documents/{scope}/{uri}", {
    list: undefined,
    complete: {
      scope: (value) => complete(value, ({ scope }) => scope),
      uri: (value) => complete(value, ({ uri }) => uri),
    },
  });
  server.registerResource(
    "document",
    template,
    { title: "Document", description: "A document of the knowledge base, as text." },
    async (address) => {
      const named = readResourceUri(address);
      const text = named && (await textOf(named.uri, named.scope));
      // One error for documents that do not exist and for those that may not be read.
      if (text === undefined) throw new mcp.ResourceNotFoundError(address.href);
      return { contents: [{ uri: address.href, mimeType: "text/plain", text }] };
    },
  );
  // In pages: the package lists all at once.
  server.server.setRequestHandler("resources/list", async ({ params }) => {
    const after = params?.cursor === undefined ? undefined : readListCursor(mcp, params.cursor);
    const resources = [];
    let last: DocumentSummary | undefined;
    for await (const summary of view.documents(after && { after })) {
      const { uri, scope, title, path } = summary;
      if (resources.length === pageLength && last !== undefined)
        return { resources, nextCursor: makeCursor(last.uri, last.scope) };
      last = summary;
      const shown = showAddress(path ?? uri);
      resources.push({
        uri: resourceUri(scope, uri),
        name: showAddress(uri),
        // The path tells documents of one title apart.
        title: title === "" || asTitle(title) === shown ? shown : `${asTitle(title)} (${shown})`,
        description: showAddress(uri),
        // The resource is the canonical text, so the type is text, whatever the file was.
        mimeType: "text/plain",
        size: new TextEncoder().encode(await textOf(uri, scope)).length,
      });
    }
    return { resources };
  });
}

function readListCursor(mcp: typeof Mcp, cursor: string): ReturnType<typeof readPosition> {
  try {
    return readPosition(cursor);
  } catch (error) {
    const message = error instanceof Error ? error.message : "The cursor is unknown.";
    throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, message);
  }
}

function resourceUri(scope: Scope, uri: string): string {
  return `ibid://documents/${encodeURIComponent(scope)}/${encodeURIComponent(uri)}`;
}

/** `undefined` for an address that this server never made. */
function readResourceUri({ pathname }: URL): { readonly scope: Scope; readonly uri: string } | undefined {
  const [, scope, uri, ...more] = pathname.split("/");
  if (scope === undefined || uri === undefined || more.length > 0) return undefined;
  try {
    return { scope: parseScope(decodeURIComponent(scope)), uri: decodeURIComponent(uri) };
  } catch {
    return undefined;
  }
}
