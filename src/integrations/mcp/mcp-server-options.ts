import type { Tool } from "../../contracts/tool.ts";
import type { SearchToolOptions } from "../tools/create-search-tools.ts";

/**
 * How a knowledge base is shown over MCP; everything has a default.
 *
 * @experimental
 */
export interface McpServerOptions extends SearchToolOptions {
  /** Tools of your own beside ours. */
  readonly more?: readonly Tool[];
  /** Characters of a resource. Default 1,000,000. */
  readonly maxResourceLength?: number;
  /** Told what went wrong in here, of which a client learns no more than that it did. Throwing in it fails nothing. */
  readonly onError?: (error: unknown) => void;
}
