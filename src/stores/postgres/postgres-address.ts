import { IbidError } from "../../contracts/errors.ts";
import { isWithinEdits } from "../../runtime/edit-distance.ts";
import { parseServerAddress } from "../../runtime/parse-server-address.ts";

/** Whether a location is an address of a database, not a folder. */
export function isPostgresAddress(location: unknown): location is string {
  return typeof location === "string" && /^postgres(?:ql)?:\/\//iu.test(location);
}

interface Address {
  readonly url: string;
  readonly name: string;
  readonly schema: string | undefined;
  /** As it stands in the address. */
  readonly partitions: string | undefined;
}

/** Parameters of an address that are ibid's. */
const ours = ["schema", "partitions"] as const;

/** Reads an address; `schema` and `partitions` are taken out of it. **Errors** `invalid-argument`, without the password; also for a parameter that stands twice, and a name that comes close to theirs. */
export function readPostgresAddress(given: string): Address {
  const url = parseServerAddress(given, ["postgres", "postgresql"]);
  if (url === undefined) {
    throw new IbidError("invalid-argument", "The address of the database cannot be read.", {
      hint: "Write postgres://user:password@host:5432/database; encode @, : and / in a password as %40, %3A and %2F.",
    });
  }
  const names = [...url.searchParams.keys()];
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw new IbidError(
      "invalid-argument",
      `The address of the database has the parameter "${twice}" more than once.`,
      {
        hint: `Give "${twice}" once.`,
      },
    );
  }
  const schema = url.searchParams.get("schema") ?? undefined;
  const partitions = url.searchParams.get("partitions") ?? undefined;
  for (const own of ours) url.searchParams.delete(own);
  // Other names are the driver's, so that it alone knows them. A misspelt schema would open another base.
  for (const given of url.searchParams.keys()) {
    const near = ours.find((own) => isWithinEdits(own, given.toLowerCase(), 2));
    if (near === undefined) continue;
    throw new IbidError("invalid-argument", `The address of the database has the parameter "${given}".`, {
      hint: `Did you mean "${near}"?`,
    });
  }
  const database = url.pathname.slice(1);
  const host = url.hostname === "" ? "localhost" : url.hostname;
  return { url: url.href, name: `${host}:${url.port || "5432"}/${database}`, schema, partitions };
}
