/** Started by bench/service.ts: searches a knowledge base without a service, as often as each message says. It answers with the processor time of one search, in milliseconds: of its thread, and of V8's helpers. */
import { openKnowledgeBase } from "../src/index.node.ts";
import { makeSearchBody } from "../src/server/search-body.ts";

const [folder = "", ...questions] = JSON.parse(process.argv[2]!) as readonly string[];
const kb = await openKnowledgeBase(folder);
let asked = 0;
const millisecondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
process.on("message", (count: number) => {
  let left = count;
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  const searchOn = async (): Promise<void> => {
    while (left-- > 0) await makeSearchBody(kb, questions[asked++ % questions.length]!, { topK: 10 });
  };
  void Promise.all(Array.from({ length: 8 }, searchOn)).then(() => {
    const thread = millisecondsOf(process.threadCpuUsage(own)) / count;
    process.send!([thread, millisecondsOf(process.cpuUsage(all)) / count - thread]);
  });
});
process.send!("ready");
