import { readOpenApi } from "./read-open-api.ts";
import type { AllowAddress } from "../../../ingest/sources/web/public-agent.ts";
import { createRequestSender } from "../../../ingest/sources/web/send-request.ts";
import { IbidError } from "../../../contracts/errors.ts";
import { createOpenApiPlugin, type OpenApiPlugin, type OpenApiPluginOptions } from "./create-open-api-plugin.ts";
import type { OpenApiDocument } from "./open-api-document.ts";

/**
 * As {@link OpenApiPluginOptions}, with a way to the server that is there already.
 *
 * @experimental
 */
export interface ImportOpenApiOptions extends Partial<OpenApiPluginOptions> {
  /** Permits servers that are not on the public internet, by IP: in an intranet, or on this machine. Default: none. */
  readonly allowAddress?: AllowAddress;
}

/**
 * The operations of a server as functions of a template and as tools, by its OpenAPI document: the text of one, in JSON or YAML, one that was read, or its address.
 *
 * **Errors** as {@link createOpenApiPlugin}; `blocked-address` for a server that is not public and not allowed.
 * **Source** Semantic Kernel's `ImportPluginFromOpenApi` (S15).
 *
 * @experimental
 */
export async function importOpenApi(
  document: string | URL | OpenApiDocument,
  options: ImportOpenApiOptions = {},
): Promise<OpenApiPlugin> {
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
    hint: "Check the address, or hand in the document's text.",
    details: { status },
  });
}
