import type { Chosen } from "../contracts/complete.ts";

/** Options over their defaults. One that is `undefined` counts as left out. */
export function withDefaults<Defaults extends object>(defaults: Defaults, options: Chosen<Defaults> = {}): Defaults {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(given) as Partial<Defaults>) };
}
