/** Name of every corpus model, so that a store without one recognises the vectors too. */
export const ownModel = { provider: "ibid", model: "latent-semantic" } as const;

const prefix = `${JSON.stringify([ownModel.provider, ownModel.model]).slice(0, -1)},`;

/**
 * Whether a version, as `versionKey` writes it, is of the model that a store fits itself. Such vectors are never handed out, nor kept for a chunk's
 * new text.
 */
export function isOwnVersion(version: string): boolean {
  return version.startsWith(prefix);
}
