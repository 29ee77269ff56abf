import { checkKind } from "./check-subject.ts";

/**
 * One promise of a contract, as something that can be run: by any test runner, or by none.
 *
 * **Shape** `id` is unique and stable, `pack/what-is-promised`; `items` are the inventory items and laws that it proves, such as `"W36"` and `"L4"`.
 * **Errors** `run` rejects with a {@link ContractViolation} when the promise is broken.
 * @experimental
 * @example for (const { id, items, run } of createVectorStorePack(subject)) it(`${id} [${items.join(" ")}]`, run);
 */
export interface ContractCase {
  readonly id: string;
  readonly items: readonly string[];
  readonly run: () => Promise<void>;
}

/**
 * A broken promise: which one, what was expected, and what came instead.
 *
 * @experimental
 */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation";
  /** The pack that the case is of, such as `vector-store`; `""` until a case has claimed the failure. */
  readonly pack: string;
  /** Id of the case, as in {@link ContractCase}. */
  readonly caseId: string;
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(message: string, facts: { caseId?: string; expected?: unknown; actual?: unknown; cause?: unknown } = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.caseId = facts.caseId ?? "";
    this.pack = this.caseId.split("/")[0] ?? "";
    this.expected = facts.expected;
    this.actual = facts.actual;
  }
}

/**
 * A case before it has a pack's name: the promise, the items it proves (separated by spaces), and its test.
 *
 * @experimental
 */
export type CaseDefinition = readonly [name: string, items: string, run: () => Promise<void> | void];

/**
 * Makes a pack of its definitions.
 *
 * **Errors** a failed assertion, and anything else that `run` throws, becomes a {@link ContractViolation} that names the case, with its cause.
 *
 * @experimental
 */
export function defineCases(pack: string, definitions: readonly CaseDefinition[]): readonly ContractCase[] {
  checkKind("defineCases", "the pack", pack, "string");
  checkKind("defineCases", "the definitions", definitions, "list");
  return definitions.map((definition, at) => {
    checkKind("defineCases", `definition ${at}`, definition, "list");
    const [name, items, run] = definition;
    checkKind("defineCases", `the name of definition ${at}`, name, "string");
    checkKind("defineCases", `the items of definition ${at}`, items, "string");
    checkKind("defineCases", `the test of definition ${at}`, run, "function");
    const id = `${pack}/${name}`;
    return {
      id,
      items: items.split(" ").filter((item) => item !== ""),
      async run() {
        try {
          await run();
        } catch (error) {
          const failed = error instanceof ContractViolation;
          const what = error instanceof Error ? error.message : String(error);
          throw new ContractViolation(`${id}: ${failed ? what : `threw ${what}`}`, {
            caseId: id,
            ...(failed ? { expected: error.expected, actual: error.actual } : {}),
            cause: error,
          });
        }
      },
    };
  });
}
