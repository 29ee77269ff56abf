import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LocalModel } from "../../src/models/local-models.ts";

/** Fault of one answer; `after` counts bytes of the body. */
export type HubFault =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "stall"; readonly after: number }
  | { readonly kind: "other-bytes" | "longer" | "ignores-ranges" }
  /** One byte at a time. */
  | { readonly kind: "slow" };

/** A request for bytes, without those that were only redirected. */
export interface HubRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly encoding: string | undefined;
}

/** A server on loopback in the shape of the Hugging Face Hub. */
export interface HubServer {
  readonly address: string;
  readonly requests: readonly HubRequest[];
  /** Faults of the next answers with bytes of a file, first to last; then none. */
  fail(path: string, ...faults: readonly HubFault[]): void;
  /** Breaks off every answer that is under way. */
  drop(): void;
}

/**
 * Serves the files of a folder as a repository.
 *
 * **Shape** `/<repository>/resolve/<revision>/<path>` redirects weights to another address, as the Hub does, and gives small files itself. Ranges are answered.
 * **Source** the Hub's documentation, "Downloading models".
 */
export async function startHub(folder: string, { repository, revision }: LocalModel): Promise<HubServer> {
  const requests: HubRequest[] = [];
  const faults = new Map<string, HubFault[]>();
  const prefix = `/${repository}/resolve/${revision}/`;
  const server = createServer((request, response) => {
    const url = request.url ?? "";
    if (url.startsWith(`${prefix}onnx/`)) {
      response.writeHead(302, { location: `/storage/${url.slice(prefix.length)}?signature=1` }).end();
      return;
    }
    const path = url.startsWith(prefix)
      ? url.slice(prefix.length)
      : /^\/storage\/([^?]+)\?signature=1$/u.exec(url)?.[1];
    if (path === undefined) return void response.writeHead(404).end();
    const { range, "accept-encoding": encoding } = request.headers;
    requests.push({ path, range, encoding: encoding?.toString() });
    answer(readFileSync(join(folder, path)), request, response, faults.get(path)?.shift());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (path, ...some) => void faults.set(path, [...some]),
    drop: () => server.closeAllConnections(),
  };
}

function answer(file: Buffer, request: IncomingMessage, response: ServerResponse, fault: HubFault | undefined): void {
  if (fault?.kind === "status") return void response.writeHead(fault.status).end();
  const whole =
    fault?.kind === "other-bytes"
      ? Buffer.from(file.map((byte) => byte ^ 1))
      : fault?.kind === "longer"
        ? Buffer.concat([file, file])
        : file;
  const asked = /^bytes=(\d+)-$/u.exec(request.headers.range ?? "")?.[1];
  const from = fault?.kind === "ignores-ranges" ? undefined : asked;
  const body = whole.subarray(Number(from ?? 0));
  const headers = { "content-length": body.length, "accept-ranges": "bytes" };
  if (from === undefined) response.writeHead(200, headers);
  else response.writeHead(206, { ...headers, "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` });
  if (fault?.kind === "stall") return void response.write(body.subarray(0, fault.after));
  if (fault?.kind !== "slow") return void response.end(body);
  let at = 0;
  const next = (): void => {
    if (at >= body.length) response.end();
    else response.write(body.subarray(at, ++at), () => setImmediate(next));
  };
  next();
}

/** Pins the files of a folder, as `localModels` pins those of the Hub. */
export function pinFolder(folder: string, model: Pick<LocalModel, "name" | "kind" | "maxTokens">): LocalModel {
  const paths = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx", "tiny.json"];
  return {
    repository: `tests/${model.name}`,
    revision: "0123456789abcdef0123456789abcdef01234567",
    licence: "Apache-2.0",
    languages: ["en"],
    quality: "wired, not measured",
    ...model,
    files: paths.map((path) => {
      const bytes = readFileSync(join(folder, path));
      return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
    }),
  };
}
