import type { Entities } from "../../contracts/entity.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { MemoryOptions } from "../memory/create-memory.ts";
import type { SearchToolOptions } from "../tools/create-search-tools.ts";

/**
 * The memory that an MCP server offers.
 *
 * @experimental
 */
export interface McpMemoryOptions extends MemoryOptions {
  /** Whether `remember` and `forget` are offered. Default: where the caller may write the scope. */
  readonly writes?: boolean | undefined;
  /** Whether the client asks the user about each write, by elicitation. A client that cannot ask gets a refusal. Default false. */
  readonly confirm?: boolean | undefined;
}

/**
 * Options of an MCP server. All have defaults.
 *
 * @experimental
 */
export interface McpServerOptions extends SearchToolOptions {
  /** Name of the server, as clients show it in a list. Default `"ibid"`. The prefix of the tools is `name`. */
  readonly serverName?: string | undefined;
  /** Default: the version of ibid. */
  readonly serverVersion?: string | undefined;
  /** Guidance for the model, once for the whole server. Default: search first, open what was found, quote it. */
  readonly instructions?: string | undefined;
  /** Whether agents remember and recall notes, and how. Default: no tool of a memory. */
  readonly memory?: McpMemoryOptions | undefined;
  /**
   * Whether callers get `delete_document`, `restore_document` and `list_deleted`, for the scopes that they may write. With `confirm`, the client asks the user
   * about each change, by elicitation; a client that cannot ask gets a refusal. Default false. **Errors** `invalid-argument` beside a filter.
   */
  readonly changes?: boolean | { readonly confirm?: boolean | undefined } | undefined;
  /** Entities that a client searches, opens and follows: over the caller's view, `openEntities(kb.as(ada), "company")`. Their name is the prefix of the tools. Default: none. */
  readonly entities?: readonly Entities[] | undefined;
  /** Whether a client lists collections, searches them and opens records. Default false. */
  readonly collections?: boolean | undefined;
  /** Further tools of the application. */
  readonly more?: readonly Tool[] | undefined;
  /** Characters of a resource. Default 1,000,000. */
  readonly maxResourceLength?: number | undefined;
  /** Gets internal failures, whose details the client does not see. Errors that it throws are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}
