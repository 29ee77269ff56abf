// Time of a process that asks once: opening a knowledge base in a folder and answering the first question, and `ibid
// search` as a whole. Fresh processes of one build or of several take turns, so that other work on the machine falls on
// all alike.
//
//   npm run build && npx node bench/start.ts <knowledge base> "<question>" [--rounds 9] [<folder with another build's dist>...]
//
// Milliseconds, medians and least; processor time of all threads; pages that the system handed out.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" } },
});
const [folder, question, ...others] = positionals;
if (folder === undefined || question === undefined) {
  console.error('usage: bench/start.ts <knowledge base> "<question>" [--rounds 9] [<folder with another dist>...]');
  process.exit(2);
}
const builds = [...others.map((other) => resolve(other)), join(import.meta.dirname, "..")];

/** Says at its end what the process took. */
const tell = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,minorPageFault:f,maxRSS:m}=process.resourceUsage();process.stderr.write(`\\n${JSON.stringify({cpu:(u+s)/1000,faults:f,MB:m/1024})}`)})',
)}`;

const inProcess = `
  const [, build, folder, question] = process.argv;
  const started = performance.now();
  const { openKnowledgeBase } = await import(build + "/dist/node/index.js");
  const loaded = performance.now();
  const kb = await openKnowledgeBase(folder, { create: false });
  const opened = performance.now();
  await kb.search(question, { topK: 10 });
  const answered = performance.now();
  await kb.search(question + " again", { topK: 10 });
  const next = performance.now() - answered;
  await kb.close();
  process.stderr.write("\\n" + JSON.stringify({ load: loaded - started, open: opened - loaded, first: answered - opened, both: answered - loaded, next }));
`;

type Figures = Record<string, number>;

function run(args: readonly string[]): Figures {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const wall = performance.now() - started;
  const told = stderr.trim().split("\n").at(-1) ?? "";
  if (status !== 0 || !told.startsWith("{")) throw new Error(`${args.join(" ")}: ${stderr.slice(-500)}`);
  return { ...(JSON.parse(told) as Figures), wall };
}

const works = {
  "ibid search": (build: string): Figures =>
    run(["--import", tell, join(build, "dist/cli/bin.js"), "search", question, "--kb", folder, "--json"]),
  "in process": (build: string): Figures => {
    const { wall: _, ...figures } = run(["--input-type=module", "-e", inProcess, build, resolve(folder), question]);
    return figures;
  },
};

const all = new Map<string, Figures[]>();
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const [work, measure] of Object.entries(works)) {
    for (const build of builds) {
      const figures = measure(build);
      const name = `${work}, ${build}`;
      // The first fills caches: the system's, and that of compiled code.
      if (round > 0) all.set(name, [...(all.get(name) ?? []), figures]);
    }
  }
}
for (const [name, rounds] of all) {
  const shown = Object.keys(rounds[0]!).map((figure) => {
    const sorted = rounds.map((one) => one[figure]!).toSorted((a, b) => a - b);
    return `${figure} ${sorted[sorted.length >> 1]!.toFixed(0)} (${sorted[0]!.toFixed(0)})`;
  });
  console.log(`${name}: ${shown.join("  ")}`);
}
