import type { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { parseScope } from "../../access/scopes.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { FixedView } from "../tools/fixed-view.ts";
import { asData, asTitle, showAddress } from "../tools/format-results.ts";

/** More are found by searching; a client that lists resources shows them to a person. */
const mostListed = 1000;

/**
 * The documents as resources: what a person may pick in a client and put before the model.
 *
 * **Shape** `ibid://documents/{scope}/{uri}`, both percent-encoded; the text is the document's, at most `maxLength` characters of it, as models are shown it
 * (law 12).
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
        // What is handed out is the canonical text, whatever the file was.
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
      const found = named && (await view.document(named.uri, named.scope));
      // The same words for what is not there and for what may not be read.
      if (!found) throw new Error("There is no such document.");
      const isCut = found.text.length > maxLength;
      const text = asData(isCut ? found.text.slice(0, maxLength) : found.text) + (isCut ? "\n[TRUNCATED]" : "");
      return { contents: [{ uri: address.href, mimeType: "text/plain", text }] };
    },
  );
}

function resourceUri(scope: Scope, uri: string): string {
  return `ibid://documents/${encodeURIComponent(scope)}/${encodeURIComponent(uri)}`;
}

/** `undefined` for what we never handed out. */
function readResourceUri({ pathname }: URL): { readonly scope: Scope; readonly uri: string } | undefined {
  const [, scope, uri, ...more] = pathname.split("/");
  if (scope === undefined || uri === undefined || more.length > 0) return undefined;
  try {
    return { scope: parseScope(decodeURIComponent(scope)), uri: decodeURIComponent(uri) };
  } catch {
    return undefined;
  }
}
