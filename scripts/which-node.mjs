// Says which Node runs the scripts, and stops with one sentence when it is older than ibid supports.
// `npm ci` brings Node 24 for most platforms (tools/node-runtime); elsewhere the system's Node is used.
import { readFileSync } from "node:fs";

const required = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).engines.node.slice(2);
const found = process.versions.node;
const [a, b] = [found, required].map((version) => version.split(".").map(Number));
const difference = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

console.log(`v${found}`);
if (difference < 0) {
  console.error(
    `This repository needs Node ${required} or newer and found ${found} at ${process.execPath}: run \`npm ci\`.`,
  );
  process.exitCode = 1;
}
