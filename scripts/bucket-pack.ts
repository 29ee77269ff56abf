// Runs the pack of blob stores over an S3 server, and lets processes race for one snapshot. No test runner is needed.
import { spawn } from "node:child_process";
import { openKnowledgeBase } from "../src/knowledge-base/open/open-knowledge-base.ts";
import { openS3BlobStore } from "../src/stores/blobs/s3-blob-store.ts";
import { hexHash, signRequest } from "../src/stores/blobs/sign-request.ts";
import { createBlobStorePack } from "../src/testing/blob-store-pack.ts";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const racers = 6;
const rounds = 5;

async function makeBucket(endpoint: string): Promise<string> {
  const bucket = `ibid-${Date.now().toString(36)}`;
  const { host } = new URL(endpoint);
  const parts = { method: "PUT", host, path: `/${bucket}`, payloadHash: await hexHash(new Uint8Array()) };
  const headers = await signRequest(parts, { region: "us-east-1", credentials, now: new Date() });
  const { ok, status } = await fetch(`${endpoint}/${bucket}`, { method: "PUT", headers });
  if (!ok) throw new Error(`the server made no bucket: status ${status}`);
  return bucket;
}

/** @param server its name and version, for the report. **Shape** complaints. */
export async function runBucketPack(endpoint: string, server: string): Promise<readonly string[]> {
  const bucket = await makeBucket(endpoint);
  const complaints: string[] = [];
  let opened = 0;
  const pack = createBlobStorePack({
    create: (maxBytes) =>
      openS3BlobStore({ bucket, endpoint, credentials, prefix: `p${opened++}/`, ...(maxBytes && { maxBytes }) }),
  });
  for (const { id, run } of pack)
    await run().catch(
      (error: unknown) => void complaints.push(`${id}: ${error instanceof Error ? error.message : String(error)}`),
    );
  for (let round = 0; round < rounds; round++) {
    const prefix = `race${round}/`;
    const said = await Promise.all(Array.from({ length: racers }, (_, i) => race(endpoint, bucket, prefix, `d${i}`)));
    const saved = said.filter((one) => one === "saved").length;
    const overtaken = said.filter((one) => one === "overtaken").length;
    const kb = await openAt(endpoint, bucket, prefix);
    const { documents } = await kb.status();
    await kb.close();
    // A racer that begins after another has saved reads its snapshot, and adds to it.
    if (saved === 0 || saved + overtaken !== racers || documents !== saved)
      complaints.push(`round ${round}: ${said.join(", ")}; ${documents} documents are there`);
  }
  console.log(
    `bucket (${server}): ${pack.length - complaints.length} of ${pack.length} cases, ${rounds} races of ${racers} processes`,
  );
  return complaints;
}

const openAt = (endpoint: string, bucket: string, prefix: string) =>
  openKnowledgeBase({ snapshots: { blobs: openS3BlobStore({ bucket, endpoint, credentials }), prefix } });

/** A process that writes one document and saves. **Shape** `"saved"`, `"overtaken"`, or its error. */
function race(...place: readonly [endpoint: string, bucket: string, prefix: string, id: string]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [import.meta.filename, ...place], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (piece) => (said += String(piece)));
    child.once("close", () => resolve(said.trim()));
  });
}

if (process.argv[1] === import.meta.filename) {
  const [endpoint = "", bucket = "", prefix = "", id = ""] = process.argv.slice(2);
  const kb = await openAt(endpoint, bucket, prefix);
  await kb.ingest({ uri: id, text: `Written by ${id}.` });
  const said = await kb.close().then(
    () => "saved",
    (error: Error & { details?: { reason?: string } }) => error.details?.reason ?? error.message,
  );
  console.log(said);
}
