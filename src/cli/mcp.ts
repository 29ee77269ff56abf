import { once } from "node:events";
import type { FilterInput } from "../contracts/filter.ts";
import type { Scope } from "../contracts/scope.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";

export interface McpCommandOptions extends CommonOptions {
  readonly about?: string;
  readonly filter?: FilterInput;
  readonly scope?: Scope;
}

/**
 * `ibid mcp`: the knowledge base for one client, over standard input and output, until the client closes them. Output carries the protocol and nothing else;
 * who is asking is settled by the options that started it, as with every command.
 */
export async function mcp({ signal, stderr }: Context, options: McpCommandOptions): Promise<number> {
  const { about, filter, scope } = options;
  return withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
    const [{ createMcpServer }, { serveStdio }] = await Promise.all([
      import("../node.ts"),
      import("@modelcontextprotocol/server/stdio"),
    ]);
    const limits = {
      ...(about !== undefined && { about }),
      ...(filter !== undefined && { filter }),
      ...(scope !== undefined && { scopes: [scope] }),
    };
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
