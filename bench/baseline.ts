// The same work in ibid and in Python: windows of code points, the hash embedder, an exact search by cosine. Each side is a process of its own. Both must cut the
// same chunks, make the same vectors and find the same, else there is nothing to compare. Needs `npm run build` and Python; with NumPy, Python uses it.
//
//     npx node bench/baseline.ts [documents...]        default 1000 10000
import { isDeepStrictEqual } from "node:util";
import { createWork, type Done, runSide } from "../test/designs/wesichain/baseline.ts";

const counts = process.argv.slice(2).map(Number);
for (const documents of counts.length === 0 ? [1000, 10_000] : counts) {
  const work = createWork(documents, 100);
  const sides = [await runSide("ibid", work), await runSide("python", work)] as const;
  const same = ({ chunks, texts, vectors, hits }: Done) => [
    chunks,
    texts,
    vectors,
    hits.map((one) => one.map(([n]) => n)),
  ];
  if (!isDeepStrictEqual(same(sides[0]), same(sides[1])))
    throw new Error(`${documents}: the two sides did other work.`);
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  console.log(`\n${documents} documents, ${sides[0].chunks} chunks: the same chunks, vectors and hits\n`);
  console.log("|  | embedding ms | indexing ms | processor | query p50 ms | MB before | after |");
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const { by, ms, memory } of sides) {
    const cells = [ms.embedding.toFixed(0), ms.indexing.toFixed(0), ms.processor.toFixed(0), ms.query.toFixed(2)];
    console.log(`| ${[by, ...cells, megabytes(memory.before), megabytes(memory.after)].join(" | ")} |`);
  }
}
