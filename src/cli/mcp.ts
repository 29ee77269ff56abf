import { once } from "node:events";
import { IbidError } from "../contracts/errors.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { Scope } from "../contracts/scope.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { serve } from "./serve.ts";

export interface McpCommandOptions extends CommonOptions {
  readonly about?: string;
  readonly filter?: FilterInput;
  readonly scope?: Scope;
  readonly port?: number;
  readonly host?: string;
  readonly keys?: string;
}

/**
 * `ibid mcp`: serves the knowledge base to one client, on standard input and output, until the client closes them.
 *
 * Standard output carries only the protocol. The options choose the caller, as for every command. With a port, it is `ibid serve` with that route alone.
 */
export async function mcp(context: Context, options: McpCommandOptions): Promise<number> {
  const { signal, stderr } = context;
  const { about, filter, scope, port, host, keys } = options;
  const limits = {
    ...(about !== undefined && { about }),
    ...(filter !== undefined && { filter }),
    ...(scope !== undefined && { scopes: [scope] }),
  };
  if (port !== undefined)
    return serve(context, { ...options, allowHost: [], allowOrigin: [], mcp: limits, only: "mcp" });
  if (host !== undefined || keys !== undefined) {
    throw new IbidError(
      "invalid-argument",
      `${host === undefined ? "--keys" : "--host"} needs --port: it is an option of MCP over HTTP.`,
      {
        hint: "Add --port, or leave it out.",
      },
    );
  }
  return withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
    const [{ createMcpServer }, { serveStdio }] = await Promise.all([
      import("../integrations/mcp/index.ts"),
      import("@modelcontextprotocol/server/stdio"),
    ]);
    const connection = serveStdio(() => createMcpServer(kb, limits), {
      onerror: (error) => void stderr.write(`ibid mcp: ${error.name}\n`),
    });
    try {
      await once(process.stdin, "close", { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await connection.close();
    return 0;
  });
}
