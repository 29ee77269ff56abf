import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};

/** A folder that is served as a host of static files does. */
export interface ServedFolder {
  /** With a slash at the end. */
  readonly address: string;
  /** Bytes sent since the last call, compressed where the browser allows it. */
  takeSent(): number;
  close(): Promise<void>;
}

/** Serves a folder on this machine, on any free port. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  let sent = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
      const asked = join(folder, path);
      const file = (await stat(asked).catch(() => undefined))?.isDirectory() ? join(asked, "index.html") : asked;
      const found = asked.startsWith(folder) ? await readFile(file).catch(() => undefined) : undefined;
      // A host shows this file in the place of a page that it has not.
      const bytes = found ?? (await readFile(join(folder, "404.html")).catch(() => Buffer.alloc(0)));
      const isCompressed = /\bgzip\b/u.test(String(request.headers["accept-encoding"]));
      const body = isCompressed ? gzipSync(bytes) : bytes;
      sent += body.length;
      response.writeHead(found === undefined ? 404 : 200, {
        "content-type": types[found === undefined ? ".html" : extname(file)] ?? "application/octet-stream",
        ...(isCompressed ? { "content-encoding": "gzip" } : {}),
      });
      response.end(body);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    takeSent() {
      const now = sent;
      sent = 0;
      return now;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
