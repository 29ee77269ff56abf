import type { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { parseScope } from "../../access/scopes.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { FixedView } from "../tools/fixed-view.ts";
import { asData, asTitle, showAddress } from "../tools/format-results.ts";

/** Documents in the list of resources, which clients show to a person; a search finds the others. */
const mostListed = 1000;

/**
 * Adds the documents as resources, which a person picks in a client for the model to read.
 *
 * **Shape** `ibid://documents/{scope}/{uri}`, both percent-encoded. The text is the document's, at most `maxLength` characters, quoted as data.
 */
export function addDocumentResources(
  server: McpServer,
  Template: typeof ResourceTemplate,
  view: FixedView,
  maxLength: number,
): void {
  const list = async () => {
    const resources = [];
    for await (const { uri, scope, title } of view.documents()) {
      resources.push({
        uri: resourceUri(scope, uri),
        name: title === "" ? showAddress(uri) : asTitle(title),
        description: showAddress(uri),
        // The resource is the canonical text, so the type is text, whatever the file was.
        mimeType: "text/plain",
      });
      if (resources.length === mostListed) break;
    }
    return { resources };
  };
  server.registerResource(
    "document",
    new Template("ibid://documents/{scope}/{uri}", { list }),
    { title: "Document", description: "A document of the knowledge base, as text." },
    async (address) => {
      const named = readResourceUri(address);
      const found = named && (await view.document(named.uri, named.scope, maxLength));
      // One message for documents that do not exist and for those that may not be read.
      if (!found) throw new Error("There is no such document.");
      const text = asData(found.text) + (found.length > found.end ? "\n[TRUNCATED]" : "");
      return { contents: [{ uri: address.href, mimeType: "text/plain", text }] };
    },
  );
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
