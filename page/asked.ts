import type { KeptLimits } from "./answer.ts";

/** A question that is on its way, kept in its tab: a page that is loaded again in the middle asks nothing by itself, and loses nothing. */
export interface Asked {
  /** The thread that it continues. */
  readonly thread?: string | undefined;
  readonly question: string;
  readonly limits?: KeptLimits | undefined;
}

const name = "ibid-asked";

function read(): Asked | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
let left = read();

export function keepAsked(asked: Asked | undefined): void {
  try {
    if (asked === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(asked));
  } catch {
    // Without storage a question ends with its page.
  }
}

/** The question of this thread that the page had asked before it was loaded again; once. */
export function takeAsked(thread: string | undefined): Asked | undefined {
  const own = left?.thread === thread ? left : undefined;
  left = undefined;
  return own;
}
