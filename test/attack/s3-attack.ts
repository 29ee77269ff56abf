import { createServer, request as sendRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { IbidError } from "../../src/contracts/errors.ts";
import { openS3BlobStore } from "../../src/stores/blobs/s3-blob-store.ts";
import { collect } from "../../src/testing/assert.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { s3Credentials, startS3Server } from "../support/s3-server.ts";
import { scaled, type Tally } from "./tally.ts";

const maxBytes = 50_000;
const listed = (keys: readonly string[], next = ""): string =>
  `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key><Size>3</Size></Contents>`).join("")}${next}</ListBucketResult>`;

/** A listing that lies: keys that lead out of a folder, that belong to others, that repeat, and documents that are no listing. */
function lie(random: Random): string {
  const keys = [
    "../../etc/passwd",
    "own/../b",
    "/etc/passwd",
    "other/a",
    "own/a",
    "own/a%00b",
    "own//a",
    "own/..%2Fa",
    "own/a%0Ab",
    "own/C:%5Ca",
    "own/%2e%2e/b",
  ];
  return random.pick([
    listed(
      Array.from({ length: 5 }, () => random.pick(keys)),
      random.pick(["", "<EncodingType>url</EncodingType>"]),
    ),
    listed([random.pick(keys)], "<IsTruncated>true</IsTruncated><NextContinuationToken>1</NextContinuationToken>"),
    `<!DOCTYPE x [<!ENTITY a "${"b".repeat(1000)}">]>${listed([`own/${"&a;".repeat(100)}`])}`,
    `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${listed(["own/&a;"])}`,
    "<html>no</html>",
    "",
    "<".repeat(40_000),
  ]);
}

/**
 * A bucket's server, or somebody between, that changes what it stored, redirects, cuts, floods and lies. Bytes come back as
 * they were written or not at all, and the signature goes to no other server.
 */
export async function attackS3(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const breaches: string[] = [];
  let told = "";
  const bucket = await startS3Server();
  const thief = createServer((request, response) => {
    breaches.push(`${told}: another server got ${request.method} ${request.url}`);
    response.end();
  });
  await new Promise<void>((resolve) => thief.listen(0, "127.0.0.3", resolve));
  const away = `http://127.0.0.3:${(thief.address() as AddressInfo).port}/bucket/own/a`;
  let trick = "none";
  // Somebody between: everything passes, but the trick changes the answer.
  const between = createServer((request, response) => {
    const { method, url, headers } = request;
    const passed = sendRequest(`${bucket.endpoint}${url}`, { method: method!, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const { "content-length": _length, "transfer-encoding": _coding, ...given } = answer.headers;
        let bytes = Buffer.concat(parts);
        if (trick === "redirect") return void response.writeHead(307, { location: away }).end();
        if (trick === "flip" && bytes.length > 0) bytes[random.below(bytes.length)]! ^= 1 + random.below(255);
        if (trick === "shorten") bytes = bytes.subarray(0, random.below(bytes.length + 1));
        if (trick === "lengthen") bytes = Buffer.concat([bytes, Buffer.alloc(1 + random.below(9), "x")]);
        if (trick === "swap") bytes = Buffer.from("somebody else's blob");
        if (trick === "hash") given["x-amz-meta-ibid-sha256"] = "f".repeat(64);
        if (trick === "lie") bytes = Buffer.from(lie(random));
        if (trick === "flood") return flood(response.writeHead(200, given));
        response.writeHead(answer.statusCode!, given).end(bytes);
      });
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  const flood = (response: ServerResponse): void => {
    const send = (): void => {
      for (let n = 0; n < 16 && !response.destroyed; n++) if (!response.write(Buffer.alloc(65_536, "x"))) break;
    };
    response.on("drain", send).on("error", () => {});
    send();
  };
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const store = openS3BlobStore({
    bucket: "bucket",
    endpoint,
    credentials: s3Credentials,
    prefix: "own/",
    maxBytes,
    attempts: 2,
    retryDelayMs: 1,
    timeoutMs: 5000,
  });
  const attempts = scaled(1500, size);
  const attemptIt = async <Value>(call: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await call();
    } catch (error) {
      if (!IbidError.isInstance(error)) breaches.push(`${told}: ${String(error)}`);
      else if (error.message.includes(s3Credentials.secretAccessKey)) breaches.push(`${told}: the error tells the key`);
      return undefined;
    }
  };
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const text = Uint8Array.from({ length: 1 + random.below(200) }, () => random.below(256));
      trick = "none";
      told = "a write";
      if (attempt % 10 === 0) await attemptIt(() => store.put("other.txt", text));
      const written = await attemptIt(() => store.put("a", text));
      if (written?.status !== "written") breaches.push("a plain write failed");
      trick = random.pick(["none", "redirect", "flip", "shorten", "lengthen", "swap", "hash", "lie", "flood"]);
      told = trick;
      const found = await attemptIt(() => store.get("a"));
      if (trick === "none" && found === undefined) breaches.push("a plain read failed");
      if (found !== undefined && Buffer.compare(found.bytes, text) !== 0)
        breaches.push(`${trick}: other bytes came back`);
      const keys = (await attemptIt(() => collect(store.list()))) ?? [];
      for (const { key } of keys)
        if (/\p{Cc}/u.test(key) || key.split("/").some((part) => ["", ".", ".."].includes(part)))
          breaches.push(`${trick}: the key ${JSON.stringify(key)} was listed`);
      if (trick === "redirect") await attemptIt(() => store.put("a", text));
    }
  } finally {
    thief.close();
    between.closeAllConnections();
    between.close();
    await bucket.close();
  }
  return [{ promise: "A bucket gives the bytes that were written, or an error", unit: "visits", attempts, breaches }];
}
