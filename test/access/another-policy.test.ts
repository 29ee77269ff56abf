import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createGate } from "../../src/access/gate.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { AccessContext, AccessPolicy, Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { collect } from "../../src/testing/assert.ts";
import { createRandom } from "../../src/testing/random.ts";
import { runsAll } from "../support/runs.ts";
import { outcome } from "./worlds.ts";

const policies: readonly AccessPolicy[] = [
  { deployment: true },
  { deployment: false },
  { platform: true },
  { platform: true, deployment: false },
  { platform: true, platformFor: "everyone" },
  { platform: true, platformFor: "everyone", deployment: false },
];
const changes = policies.flatMap((from) => policies.filter((to) => to !== from).map((to) => ({ from, to })));
/** A fit is closed off, comes to be, and loses a scope. */
const some = [
  { from: policies[0]!, to: policies[1]! },
  { from: policies[1]!, to: policies[4]! },
  { from: policies[4]!, to: policies[3]! },
];
const callers: readonly AccessContext[] = [{ userId: "ada", teamId: "north" }, {}];
const scopes: readonly Scope[] = ["deployment", "platform", "team:north", "team:south", "user:ada"];

const words = "lantern harbour oven comet violin sailor copper quartz meadow falcon ember willow".split(" ");
const random = createRandom(19);
const sentence = (): string =>
  `The ${random.pick(words)} of the ${random.pick(words)} waits near a ${random.pick(words)}.`;
/** So many documents of the shared scopes that the store fits a model of its own. */
const documents = scopes.flatMap((scope) =>
  Array.from({ length: scope === "deployment" ? 300 : 5 }, (_, i) => ({
    uri: `${scope.replace(":", "-")}-${i}.md`,
    text: `# ${random.pick(words)}\n\n${sentence()} ${sentence()}`,
    scope,
  })),
);

async function fill(kb: KnowledgeBase, mayStand: (scope: Scope) => boolean, secret = ""): Promise<void> {
  for (const scope of scopes.filter(mayStand)) {
    const own = documents.filter((each) => each.scope === scope);
    const inputs = own.map(({ uri, text }) => ({ uri, text: secret === "" ? text : `${text} ${secret} falcon.` }));
    await kb.ingest(inputs, { scope });
  }
  await kb.ingest([], { settle: true });
}

async function see(kb: KnowledgeBase, caller: AccessContext): Promise<Readonly<Record<string, unknown>>> {
  const view = kb.as(caller);
  const seen: Record<string, unknown> = {};
  for (const query of ["sailor copper", "lantern", "neverword falcon"])
    for (const mode of ["dense", "hybrid", "lexical"] as const)
      seen[`${mode} ${query}`] = await outcome(() => view.search(query, { mode, topK: 20, explain: true }));
  seen["status"] = await outcome(() => view.status());
  seen["list"] = await outcome(() => collect(view.list()));
  seen["ask"] = await outcome(() => view.ask("Where does the sailor wait?"));
  return seen;
}

const searches = async (kb: KnowledgeBase, caller: AccessContext): Promise<readonly unknown[]> =>
  Promise.all(
    (["dense", "hybrid", "lexical"] as const).map((mode) =>
      outcome(() => kb.as(caller).search("xyzzyword falcon", { mode, topK: 20, explain: true })),
    ),
  );

it.each(runsAll ? changes : some)(
  "a base that is opened with $to after $from is one in which the unreadable never was [L3 T26]",
  async ({ from, to }) => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-policy-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const readable = (caller: AccessContext): readonly Scope[] => createGate(to).read(caller, []).scopes;
    const place = join(folder, "kb");
    const first = await openKnowledgeBase(place, { access: from });
    await fill(first, () => true);
    for (const caller of callers) await see(first, caller);
    const { fit } = await first.status();
    expect((fit?.madeOf ?? 0) > 256).toBe(from.deployment !== false);
    await first.close();

    const changed = await openKnowledgeBase(place, { access: to });
    onTestFinished(() => changed.close());
    for (const caller of callers) {
      const never = await openKnowledgeBase({ access: to });
      await fill(never, (scope) => readable(caller).includes(scope));
      const expected = await see(never, caller);
      await never.close();
      const early = await see(changed, caller);
      for (const call of Object.keys(expected).filter((name) => /^(?:lexical|list)/u.test(name)))
        expect({ caller, call, seen: early[call] }).toEqual({ caller, call, seen: expected[call] });
      await changed.ingest([], { settle: true });
      expect({ caller, seen: await see(changed, caller) }).toEqual({ caller, seen: expected });
    }
  },
);

it.each(runsAll ? changes : some.slice(0, 2))(
  "before a base that is opened with $to after $from has settled, a search does not show which words the unreadable have [L3]",
  async ({ from, to }) => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-policy-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const bases: KnowledgeBase[] = [];
    // Words of one length: one of them is asked for.
    for (const secret of ["xyzzyword", "qwertword"]) {
      const place = join(folder, secret);
      const kb = await openKnowledgeBase(place, { access: from });
      const hidden: readonly Scope[] = scopes.filter((scope) => !createGate(to).read({}, []).scopes.includes(scope));
      await fill(kb, (scope) => hidden.includes(scope), secret);
      await fill(kb, (scope) => !hidden.includes(scope));
      await kb.close();
      bases.push(await openKnowledgeBase(place, { access: to }));
    }
    const [one, other] = await Promise.all(bases.map((kb) => searches(kb, {})));
    for (const kb of bases) await kb.close();
    expect(one).toEqual(other);
  },
);
