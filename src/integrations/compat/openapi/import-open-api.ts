import type { Chosen } from "../../../contracts/complete.ts";
import { checkGiven, checkNotRevoked } from "../../../runtime/check-options.ts";
import { readOpenApi } from "./read-open-api.ts";
import type { AllowAddress } from "../../../ingest/sources/web/public-agent.ts";
import { createRequestSender } from "../../../ingest/sources/web/send-request.ts";
import { IbidError } from "../../../contracts/errors.ts";
import { createOpenApiPlugin, type OpenApiPlugin, type OpenApiPluginOptions } from "./create-open-api-plugin.ts";
import type { OpenApiDocument } from "./open-api-document.ts";

/**
 * Options as {@link OpenApiPluginOptions}, without `send`, which is built in.
 *
 * @experimental
 */
export interface ImportOpenApiOptions extends Chosen<OpenApiPluginOptions> {
  /** IP ranges of servers that are not on the public internet: in an intranet, or on this machine. Default: none. */
  readonly allowAddress?: AllowAddress | undefined;
}

/**
 * Imports an OpenAPI document, as functions of a template and as tools. The document is a text in JSON or YAML, an object, or an address.
 *
 * **Errors** as {@link createOpenApiPlugin}; `blocked-address` for a server that is neither public nor allowed.
 * **Source** Semantic Kernel's `ImportPluginFromOpenApi`.
 *
 * @experimental
 */
export async function importOpenApi(
  document: string | URL | OpenApiDocument,
  options: ImportOpenApiOptions = {},
): Promise<OpenApiPlugin> {
  checkNotRevoked("importOpenApi", "document", document);
  checkGiven("importOpenApi", "options", options, "object");
  const { allowAddress, send = createRequestSender({ allowAddress }), ...rest } = options;
  if (!(document instanceof URL))
    return createOpenApiPlugin(typeof document === "string" ? await readOpenApi(document) : document, {
      ...rest,
      send,
    });
  const documentUrl = document.href;
  const { status, text } = await send(
    { method: "GET", url: documentUrl, headers: { accept: "application/json, application/yaml, text/yaml" } },
    { maxBytes: 5_000_000, timeoutMs: rest.timeoutMs ?? 30_000 },
  );
  if (status === 200) return createOpenApiPlugin(await readOpenApi(text), { ...rest, send, documentUrl });
  throw new IbidError("fetch-failed", `${documentUrl} answered with status ${status}.`, {
    uri: documentUrl,
    hint: "Check the address, or give the document's text.",
    details: { status },
  });
}
