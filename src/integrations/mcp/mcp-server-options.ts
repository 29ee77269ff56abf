import type { Tool } from "../../contracts/tool.ts";
import type { SearchToolOptions } from "../tools/create-search-tools.ts";

/**
 * Options of an MCP server. All have defaults.
 *
 * @experimental
 */
export interface McpServerOptions extends SearchToolOptions {
  /** Name of the server, as clients show it in a list. Default `"ibid"`. The prefix of the tools is `name`. */
  readonly serverName?: string;
  /** Default: the version of ibid. */
  readonly serverVersion?: string;
  /** Guidance for the model, once for the whole server. Default: search first, open what was found, quote it. */
  readonly instructions?: string;
  /** Further tools of the application. */
  readonly more?: readonly Tool[];
  /** Characters of a resource. Default 1,000,000. */
  readonly maxResourceLength?: number;
  /** Gets internal failures, whose details the client does not see. Errors that it throws are ignored. */
  readonly onError?: (error: unknown) => void;
}
