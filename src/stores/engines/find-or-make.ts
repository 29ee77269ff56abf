import { engineFailed } from "./check-engine.ts";

/**
 * Looks for an index, and makes it where it is not there.
 *
 * **Shape** another process may make it at the same moment: a failure counts only where the index is not there afterwards.
 */
export async function findOrMake<Found>(
  engine: string,
  operation: string,
  look: () => Promise<Found | undefined>,
  make: () => Promise<unknown>,
): Promise<Found> {
  const found = await look();
  if (found !== undefined) return found;
  const failure = await make().then(
    () => new Error("it was made, and is not there"),
    (error: unknown) => error,
  );
  const made = await look();
  if (made !== undefined) return made;
  throw engineFailed(engine, operation, failure);
}
