import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { StandardSchema } from "../contracts/schema.ts";
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

/** Takes every record as it is. */
const asItIs: StandardSchema<{ id: string; words: string }, { id: string; words: string }> = {
  "~standard": {
    version: 1,
    vendor: "ibid",
    validate: (value) => ({ value: value as { id: string; words: string } }),
  },
};

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
      const text = `# Sluice\n\n${secret}`;
      await kb.ingest([{ uri: "secret", text, mediaType: "text/markdown" }], { scope: "team:a" });
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
          for (const view of [bob, kb.as({}), kb.as({ userId: "carol" })]) {
            for (const mode of ["hybrid", "lexical", "regex"] as const)
              for (const scopes of [undefined, ["team:a", "deployment"] as const]) {
                const hits = await view.search("sluice", { mode, topK: "all", ...(scopes && { scopes }) });
                leaks(
                  `A search by ${mode}`,
                  hits.some(({ text }) => text.includes("heronry")),
                );
              }
            for (const found of [await view.find(), await view.retriever({ topK: "all" }).retrieve("sluice")])
              leaks("A retriever or a filter", JSON.stringify(found).includes("heronry"));
          }
          for await (const { embeddings = [] } of kb.chunks({ uri: "secret", includeEmbeddings: true }))
            for (const { embedding, version } of embeddings) {
              const found = await bob.searchVector(embedding, { version, topK: "all" });
              leaks("A search by vector", JSON.stringify(found).includes("heronry"));
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
        asStranger(async (bob, kb, { chunkId }) => {
          const sections = (await kb.outline("secret", { scope: "team:a" }))?.sections ?? [];
          for (const { id } of sections) leaks("section", (await bob.section("secret", id)) !== undefined);
          await kb.ingest(
            [{ uri: "plan.png", bytes: Uint8Array.of(137, 80), mediaType: "image/png", keepsMedia: true }],
            {
              scope: "team:a",
            },
          );
          leaks("media", (await bob.media("plan.png")) !== undefined);
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
          leaks("info", (await bob.info()).documentCount !== 1);
          leaks("events", !(await refused(() => countOf(bob.events()))));
          leaks("health", !(await refused(() => bob.health())));
        }),
    ],
    [
      "former-versions-of-others-are-not-told",
      "T26 L3",
      () =>
        asStranger(async (bob, kb) => {
          const address = { scope: "team:a" } as const;
          await kb.ingest([{ uri: "secret", text: "The sluice password was changed." }], address);
          // Without history there are no versions to tell of.
          const kept = await kb.versions("secret", address).catch(() => []);
          const [former] = kept.slice(1);
          if (former === undefined) return;
          const asOf = former.from;
          for (const at of [{}, address]) {
            leaks("versions", !(await refused(() => bob.versions("secret", at))));
            leaks("document, as of a time,", (await bob.document("secret", { ...at, asOf })) !== undefined);
          }
          const hits = await bob.search("sluice password", { asOf });
          leaks("A search, as of a time,", JSON.stringify(hits).includes("heronry"));
        }),
    ],
    [
      "records-of-others-are-not-there",
      "T26 L3",
      () =>
        asStranger(async (bob, kb) => {
          const definition = { schema: asItIs, key: "id", text: ["words"] } as const;
          await kb.collection("secrets", definition).upsert({ id: "1", words: secret }, { scope: "team:a" });
          leaks("collections", (await bob.collections()).length > 0);
          const records = bob.collection("secrets", definition);
          leaks("A collection", (await records.get("1")) !== undefined || (await countOf(records.list())) > 0);
          leaks("A search of records", (await records.textSearch("sluice")).length > 0);
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
      "nothing-of-others-is-confirmed",
      "T26 L3",
      () =>
        asStranger(async (bob) => {
          const { quotations } = await bob.verify(`It says: "${secret}" [1]\n\n[1]: secret`);
          leaks(
            "verify",
            quotations.some(({ status }) => status !== "not-found"),
          );
        }),
    ],
    [
      "nothing-of-others-is-changed",
      "T27 L3",
      () =>
        asStranger(async (bob, kb) => {
          leaks("delete", !(await refused(() => bob.delete("secret", { scope: "team:a" }))));
          leaks("ingest", !(await refused(async () => bob.ingest([{ uri: "x", text: "x" }], { scope: "team:a" }))));
          leaks("reset", !(await refused(() => bob.reset("team:a"))));
          leaks("vacuum", !(await refused(() => bob.vacuum({ olderThanMs: 0 }))));
          if ((await kb.document("secret")) === undefined)
            throw new ContractViolation("A stranger removed a document.");
          await kb.delete("secret", { scope: "team:a" });
          leaks("deleted", (await countOf(bob.deleted())) > 0);
          leaks("restore", !(await refused(() => bob.restore("secret", { scope: "team:a" }))));
        }),
    ],
  ]);
}
