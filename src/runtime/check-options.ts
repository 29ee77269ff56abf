import { IbidError } from "../contracts/errors.ts";

/**
 * An option that nobody reads is a mistake that nobody sees: it throws.
 *
 * **Errors** `invalid-argument`, naming the option, the nearest known one, and all that are known.
 */
export function checkOptions(where: string, options: object | undefined, known: readonly string[]): void {
  if (options === undefined) return;
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    throw new IbidError("invalid-argument", `${where} takes an options object.`, {
      hint: `Known options: ${known.join(", ")}.`,
    });
  }
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const near = known.find(
      (name) => name.toLowerCase() === key.toLowerCase() || name.startsWith(key) || key.startsWith(name),
    );
    throw new IbidError("invalid-argument", `${where} has no option "${key}".`, {
      hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Known options: ${known.join(", ")}.`,
    });
  }
}
