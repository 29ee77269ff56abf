import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { type ContractCase, ContractViolation, defineCases } from "./contract-case.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Subject of the isolation pack: makes an empty knowledge base, as its operator sees it, whose callers read no platform scope.
 *
 * @experimental
 */
export interface IsolationSubject {
  readonly create: () => Promise<KnowledgeBase>;
}

const secret = "The sluice password is heronry.";
const open = "The sluice opens at noon.";

/**
 * Cases for the isolation of scopes: nobody finds, lists, reads, changes or counts documents of a team that is not theirs, even with their ids.
 *
 * **Shape** each case opens a knowledge base of its own and closes it. **Source** ToolUp's contract of scope isolation.
 *
 * @experimental
 */
export function createIsolationPack(subject: IsolationSubject): readonly ContractCase[] {
  checkSubject("createIsolationPack", subject);
  const asStranger = async (
    check: (bob: KnowledgeBase, kb: KnowledgeBase, ids: { documentId: string; chunkId: string }) => Promise<void>,
  ): Promise<void> => {
    const kb = await subject.create();
    try {
      await kb.ingest([{ uri: "secret", text: secret }], { scope: "team:a" });
      await kb.ingest([{ uri: "open", text: open }]);
      const [hit] = await kb.as({ userId: "ada", teamId: "a" }).search("sluice password heronry");
      if (hit?.source.uri !== "secret") throw new ContractViolation("A member of the team does not find its document.");
      await check(kb.as({ userId: "bob", teamId: "b" }), kb, hit);
    } finally {
      await kb.close();
    }
  };
  const leaks = (what: string, isLeak: boolean): void => {
    if (isLeak) throw new ContractViolation(`${what} shows a document of another team.`);
  };
  const countOf = async (items: AsyncIterable<unknown>): Promise<number> => {
    let count = 0;
    for await (const _ of items) count += 1;
    return count;
  };
  const refused = async (call: () => Promise<unknown>): Promise<boolean> =>
    call().then(
      (result) => Array.isArray(result) && result.length === 0,
      () => true,
    );

  return defineCases("isolation", [
    [
      "searches-find-nothing-of-others",
      "T24 T25 T26 T27 L3",
      () =>
        asStranger(async (bob, kb) => {
          for (const view of [bob, kb.as({}), kb.as({ userId: "carol" })])
            for (const mode of ["hybrid", "lexical", "regex"] as const)
              for (const scopes of [undefined, ["team:a", "deployment"] as const]) {
                const hits = await view.search("sluice", { mode, topK: "all", ...(scopes && { scopes }) });
                leaks(
                  `A search by ${mode}`,
                  hits.some(({ text }) => text.includes("heronry")),
                );
              }
        }),
    ],
    [
      "a-foreign-scope-alone-gives-nothing",
      "T25 L3",
      () =>
        asStranger(async (bob) => leaks("A search", (await bob.search("sluice", { scopes: ["team:a"] })).length > 0)),
    ],
    [
      "known-ids-open-nothing",
      "T26 L3",
      () =>
        asStranger(async (bob, _, { chunkId }) => {
          leaks("document", (await bob.document("secret")) !== undefined);
          leaks("document", (await bob.document("secret", { scope: "team:a" })) !== undefined);
          leaks("outline", (await bob.outline("secret")) !== undefined);
          leaks("expand", (await bob.expand({ chunkId }, { neighbours: 1 })) !== undefined);
        }),
    ],
    [
      "listings-and-counts-hold-nothing-of-others",
      "T26 L3",
      () =>
        asStranger(async (bob) => {
          leaks("list", (await countOf(bob.list())) !== 1);
          leaks("chunks", (await countOf(bob.chunks())) !== 1);
          leaks("status", (await bob.status()).documents !== 1);
        }),
    ],
    [
      "answers-say-nothing-of-others",
      "T26 L3",
      () =>
        asStranger(async (bob) =>
          leaks("An answer", (await bob.ask("What is the sluice password?")).text.includes("heronry")),
        ),
    ],
    [
      "nothing-of-others-is-changed",
      "T27 L3",
      () =>
        asStranger(async (bob, kb) => {
          leaks("delete", !(await refused(() => bob.delete("secret", { scope: "team:a" }))));
          leaks("ingest", !(await refused(async () => bob.ingest([{ uri: "x", text: "x" }], { scope: "team:a" }))));
          leaks("reset", !(await refused(() => bob.reset("team:a"))));
          if ((await kb.document("secret")) === undefined)
            throw new ContractViolation("A stranger removed a document.");
        }),
    ],
  ]);
}
