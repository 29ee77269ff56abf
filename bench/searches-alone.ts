/** Started by bench/service.ts: searches a knowledge base without a service, as often as each message says, and answers with the milliseconds that it took. */
import { openKnowledgeBase } from "../src/index.node.ts";
import { makeSearchBody } from "../src/server/search-body.ts";

const [folder = "", ...questions] = JSON.parse(process.argv[2]!) as readonly string[];
const kb = await openKnowledgeBase(folder);
let asked = 0;
process.on("message", (count: number) => {
  let left = count;
  const started = performance.now();
  const searchOn = async (): Promise<void> => {
    while (left-- > 0) await makeSearchBody(kb, questions[asked++ % questions.length]!, { topK: 10 });
  };
  void Promise.all(Array.from({ length: 8 }, searchOn)).then(() => process.send!(performance.now() - started));
});
process.send!("ready");
