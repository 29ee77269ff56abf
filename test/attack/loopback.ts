import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";

/** The one address of this machine that an attack permits. Servers on the others must never hear anything. */
export const permitted = "127.0.0.2";
export const forbidden = ["127.0.0.1", "127.0.0.3", "::1"] as const;

/** Servers on one port of several addresses. */
export interface Neighbours {
  readonly port: number;
  /** Connections to a forbidden address since the last question. */
  reached(): number;
  close(): void;
}

/** Opens one port on the permitted address, which `answer` serves, and on each forbidden one that this machine has. */
export async function openNeighbours(answer: RequestListener, tls?: ServerOptions): Promise<Neighbours> {
  for (let attempt = 1; ; attempt++) {
    let count = 0;
    const servers: Server[] = [];
    const open = async (host: string, server: Server, port: number): Promise<number> => {
      servers.push(server);
      await new Promise<void>((resolve, reject) => server.on("error", reject).listen(port, host, resolve));
      return (server.address() as { port: number }).port;
    };
    const close = (): void => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    };
    try {
      const door = tls === undefined ? createServer(answer) : (createTlsServer(tls, answer) as unknown as Server);
      const port = await open(permitted, door, 0);
      for (const host of forbidden) {
        const server = createServer((_, response) => void response.end("secret")).on("connection", () => (count += 1));
        await open(host, server, port).catch((error: NodeJS.ErrnoException) => {
          if (error.code === "EADDRINUSE") throw error;
        });
      }
      const reached = (): number => {
        const seen = count;
        count = 0;
        return seen;
      };
      return { port, reached, close };
    } catch (error) {
      close();
      if (attempt === 10) throw error;
    }
  }
}
