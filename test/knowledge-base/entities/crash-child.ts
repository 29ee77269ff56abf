// Writes entities and relationships, and takes every third away again, saying what is done, until it is killed.
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { openEntities } from "../../../src/knowledge-base/records/index.ts";

const kb = await openKnowledgeBase(process.argv[2]);
const entities = openEntities(kb, "chain");
await entities.upsert({ id: "0", name: "link 0" });
for (let i = 1; ; i++) {
  await entities.upsert({ id: `${i}`, name: `link ${i}` });
  await entities.relate([
    { from: "0", name: "HAS", to: `${i}` },
    { from: `${i}`, name: "AFTER", to: `${i - 1}` },
  ]);
  process.stdout.write(`made ${i}\n`);
  if (i % 3 !== 0) continue;
  await entities.delete(`${i}`, { purge: i % 2 === 0 });
  process.stdout.write(`gone ${i}\n`);
}
