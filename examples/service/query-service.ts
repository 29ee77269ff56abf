/**
 * The query service of a support desk, asked over HTTP by three people who may read different things. The same question
 * has three answers, each true for its asker. A document that they may not read shows nowhere: in no answer, no list
 * and no error.
 *
 *     npm run build && npx node examples/service/query-service.ts
 */
import { openKnowledgeBase } from "ibid";
import { startService } from "ibid/server";
import { check } from "../check.ts";

const kb = await openKnowledgeBase();
await kb.ingest({ uri: "handbook.txt", text: "Refunds are paid within fourteen days. Every refund needs a receipt." });
await kb.ingest(
  { uri: "support.txt", text: "Refunds above 500 euro are approved by Maria." },
  { scope: "team:support" },
);
await kb.ingest({ uri: "notes.txt", text: "Refunds for Mr Ferro are paid in cash." }, { scope: "user:lea" });

const service = await startService(kb, {
  port: 0, // any that is free; 9090 by default
  keys: [
    { name: "lea", key: "lea-of-the-support-desk", userId: "lea", teamId: "support", write: true },
    { name: "tom", key: "tom-who-also-supports", userId: "tom", teamId: "support" },
    { name: "web shop", key: "the-web-shop-of-all" },
  ],
});

/** Any HTTP client will do. */
async function call(
  path: string,
  key: string | undefined,
  body?: object,
  method = body ? "POST" : "GET",
): Promise<Response> {
  return await fetch(new URL(path, service.url), {
    method,
    headers: {
      ...(body && { "content-type": "application/json" }),
      ...(key && { authorization: `Bearer ${key}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}
const [lea, tom, shop] = ["lea-of-the-support-desk", "tom-who-also-supports", "the-web-shop-of-all"];

const ask = async (key: string | undefined, query: string): Promise<unknown> =>
  (await call("rag/query", key, { query })).json();
const found = async (key: string | undefined): Promise<readonly string[]> => {
  const { hits } = (await (await call("search", key, { query: "refunds" })).json()) as {
    readonly hits: readonly { readonly source: { readonly uri: string } }[];
  };
  return hits.map(({ source }) => source.uri).toSorted();
};

check("Lea finds", await found(lea), ["handbook.txt", "notes.txt", "support.txt"]);
check("Tom finds", await found(tom), ["handbook.txt", "support.txt"]);
check("The shop finds", await found(shop), ["handbook.txt"]);

const approval = "Who approves refunds above 500 euro?";
check("Tom is told", await ask(tom, approval), { response: "Refunds above 500 euro are approved by Maria." });
const nothing = { response: "I couldn't find an answer to your question." };
const ferro = "How is Mr Ferro paid?";
check("Lea is told of Mr Ferro", await ask(lea, ferro), { response: "Refunds for Mr Ferro are paid in cash." });
check("The shop is told of Mr Ferro", await ask(shop, ferro), nothing);

const hidden = await call("document?uri=notes.txt", tom);
const absent = await call("document?uri=never-was.txt", tom);
check("Lea's note, to Tom", hidden.status, absent.status);
check("Somebody without a key", (await call("search", undefined, { query: "refunds" })).status, 401);
check("Tom writes", (await call("documents", tom, { uri: "x.txt", text: "x" })).status, 403);
check("Lea writes", (await call("documents", lea, { uri: "x.txt", text: "Refunds are fun." })).status, 201);

// Citations are what stands at their place.
const answer = (await (await call("ask", shop, { question: "When are refunds paid?" })).json()) as {
  readonly citations: readonly {
    readonly uri: string;
    readonly start: number;
    readonly end: number;
    readonly quote: string;
  }[];
};
for (const { uri, start, end, quote } of answer.citations) {
  const place = await call(
    `document?${new URLSearchParams({ uri, start: String(start), end: String(end) }).toString()}`,
    shop,
  );
  check(`${uri} ${start}-${end}`, ((await place.json()) as { readonly text: string }).text, quote);
}

await service.stop();
await kb.close();
