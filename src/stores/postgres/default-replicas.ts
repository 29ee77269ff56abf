import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of copies that nobody named. */
export function defaultReplicas(): string {
  const { IBID_REPLICAS: own, XDG_CACHE_HOME: cache } = process.env;
  return own ?? join(cache ?? join(homedir(), ".cache"), "ibid", "replicas");
}
