import { chmod, chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { configOptions } from "../../src/server/config-options.ts";
import { mergeValues, placedOptions, readVariables, setAt, valueAt } from "../../src/cli/config-values.ts";
import { schemaOfConfig } from "../../src/cli/config.ts";
import { checkCode, findPlaces } from "../../src/cli/find-config.ts";
import { defaultLimits } from "../../src/server/handler-options.ts";
import { bareEnv, callIbid, executable, jsonLines, makeFolder, runIbid, startIbid, writeFiles } from "./run-ibid.ts";

const valid = '{ "serve": { "port": 9191, "limits": { "concurrent": 3 } } }';
const settingsOf = (stdout: string): Map<string, { readonly value: unknown; readonly source: string }> => {
  const [printed] = jsonLines(stdout) as { settings: { option: string; value: unknown; source: string }[] }[];
  return new Map(printed!.settings.map(({ option, ...rest }) => [option, rest]));
};

/** Starts `ibid serve` in a folder. **Shape** its address. */
async function serveFrom(folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const serving = startIbid(folder, ["serve", "--json"], env);
  onTestFinished(() => void serving.kill("SIGKILL"));
  let said = "";
  serving.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await expect.poll(() => said, { timeout: 20_000 }).toContain("\n");
  return (JSON.parse(said) as { listening: string }).listening;
}

describe("sources of a configuration", () => {
  it("a variable wins over the file, group by group, and what neither says stays the default", async () => {
    const options = placedOptions(configOptions).filter(({ rule: { kind } }) => kind.type === "integer");
    expect(options.length).toBeGreaterThan(15);
    const some = fc.dictionary(
      fc.constantFrom(...options.map(({ variable }) => variable)),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(some, some, (inFile, inVariables) => {
        const env = Object.fromEntries(Object.entries(inVariables).map(([name, value]) => [name, String(value)]));
        const file = options.reduce((values, { variable, path }) => {
          return variable in inFile ? setAt(values, path, inFile[variable]) : values;
        }, {});
        const merged = mergeValues(configOptions, file, readVariables(configOptions, env));
        for (const { variable, path } of options)
          expect(valueAt(merged, path)).toBe(inVariables[variable] ?? inFile[variable]);
      }),
    );
  });

  it("print names the source of each value, and hides secrets", async () => {
    const folder = await makeFolder({
      "ibid.config.mjs": `export default {
        serve: { port: 9191, keys: "keys.json", limits: { concurrent: 3 } },
        models: { chat: "openai-compatible/m@https://ada:hunter2@box/v1?token=abc", prices: { "a/b": { input: 1 } } },
        operations: { telemetry: { apiKey: "sk-hunter3", event() {} } },
      };`,
    });
    const { code, stdout } = await callIbid(folder, ["config", "print", "--json"], {
      IBID_SERVE_LIMITS_CONCURRENT: "5",
    });
    expect(code).toBe(0);
    const settings = settingsOf(stdout);
    const file = join(folder, "ibid.config.mjs");
    expect(settings.get("serve.limits.concurrent")).toEqual({ value: 5, source: "IBID_SERVE_LIMITS_CONCURRENT" });
    expect(settings.get("serve.port")).toEqual({ value: 9191, source: file });
    expect(settings.get("serve.limits.waiting")).toEqual({ value: 256, source: "default" });
    expect(settings.get("models.chat")?.value).toBe("openai-compatible/m@https://(hidden)@box/v1?(hidden)");
    expect(settings.get("serve.keys")?.value).toBe(join(folder, "keys.json"));
    expect(stdout).not.toMatch(/hunter|abc/u);
    expect((await callIbid(folder, ["config", "print"])).stdout).toContain("serve.port = 9191");
  });

  it("a mistake ends each command with its file or variable: unknown names, wrong values, no object", async () => {
    const folder = await makeFolder({ "ibid.config.json": '{ "serve": { "limits": { "maxJson": 3 } } }' });
    const file = join(folder, "ibid.config.json");
    const wrong = await callIbid(folder, ["list"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain(file);
    expect(wrong.stderr).toContain('Did you mean "maxJsonBytes"?');
    for (const [content, problem] of [
      ['{ "serve": { "port": "9090" } }', "serve.port"],
      ['{ "serve": { "prot": 9090 } }', 'Did you mean "port"?'],
      ['{ "serve": { "limits": { "concurent": 2 } } }', 'Did you mean "concurrent"?'],
      ['{ "serve": { "xyz": 2 } }', "Known options: port, "],
      ['{ "serve": { "limits": { "waiting": -1 } } }', "serve.limits.waiting"],
      ["{", "is not JSON"],
      ["[]", "must be an object"],
    ] as const) {
      await writeFile(file, content);
      const checked = await callIbid(folder, ["config", "check"]);
      expect(checked.code).toBe(2);
      expect(checked.stderr).toContain(problem);
    }
    await writeFile(file, valid);
    expect(await callIbid(folder, ["config", "check"])).toMatchObject({ code: 0, stderr: "" });
    const typo = await callIbid(folder, ["config", "check"], { IBID_SERVE_PROT: "1" });
    expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean IBID_SERVE_PORT?") as string });
    const value = await callIbid(folder, ["config", "check"], { IBID_SERVE_PORT: "often" });
    expect(value).toMatchObject({ code: 2, stderr: expect.stringContaining("IBID_SERVE_PORT") as string });
  });

  it("an engine that JSON or a variable names as the store serves the commands; its password stays hidden", async () => {
    const server = "redis://ada:hunter2@127.0.0.1:1";
    const store = { name: "redis", server };
    const folder = await makeFolder({ "keys.txt": "Rotate keys.", "ibid.config.json": JSON.stringify({ store }) });
    const printed = await callIbid(folder, ["config", "print"]);
    expect(printed.stdout).toContain('"name":"redis"');
    expect(printed.stdout).not.toContain("hunter2");
    const named = JSON.stringify({ name: "sqlite", file: join(folder, "own.sqlite") });
    expect((await callIbid(folder, ["ingest", "keys.txt"], { IBID_STORE: named })).code).toBe(0);
    expect((await callIbid(folder, ["search", "rotate"], { IBID_STORE: named })).stdout).toContain("keys.txt");
    const unknown = await callIbid(folder, ["list"], { IBID_STORE: '{ "name": "sqlte" }' });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('store is "sqlte"') as string });
  });

  it("check refuses what a command would refuse later: names of engines and models, networks, paths, logins", async () => {
    const folder = await makeFolder({ "ibid.config.json": "{}" });
    const login = { issuer: "https://login.example", clientId: "kb", publicUrl: "https://kb.example/" };
    for (const [content, ...problems] of [
      [{ store: { name: "qdrnt" } }, 'store is "qdrnt"', 'Did you mean "qdrant"?', "weaviate"],
      [{ store: "sqlite" }, 'store is "sqlite"', "Name an engine with its options"],
      [{ store: {} }, "store has no method"],
      [{ engine: { name: "constructor" } }, 'There is no engine "constructor"', "Known engines: "],
      [{ engine: { name: "qdrant", url: "http://127.0.0.1:1", apikey: "k" } }, "createQdrantEngine", '"apiKey"'],
      [{ models: { chat: "opnai/gpt" } }, 'The provider "opnai" is not known', "Known providers: openai"],
      [{ serve: { webhookNetworks: ["inside"] } }, 'webhookNetworks contains "inside"'],
      [{ serve: { trustedProxies: ["10.0.0.0/40"] } }, 'trustedProxies contains "10.0.0.0/40"'],
      [{ serve: { basePath: "the kb" } }, 'The base path is "the kb"'],
      [{ serve: { tokens: { isuer: "https://login.example" } } }, 'Did you mean "issuer"?'],
      [{ serve: { trustedHeaders: { networks: [] } } }, "networks is empty"],
      [{ serve: { login: { ...login, clientSecret: 5 } } }, "clientSecret is of the type number"],
      [{ serve: { login: { ...login, clientId: " " } } }, "clientId is blank"],
      [{ serve: { login: { ...login, sessionMinutes: "8h" } } }, "sessionMinutes is no time"],
    ] as const) {
      await writeFile(join(folder, "ibid.config.json"), JSON.stringify(content));
      const { code, stderr } = await callIbid(folder, ["config", "check"]);
      expect({ code, missing: problems.filter((problem) => !stderr.includes(problem)), stderr }).toMatchObject({
        code: 2,
        missing: [],
      });
    }
    const named = { engine: { name: "qdrant", url: "http://127.0.0.1:1" }, models: { reranker: "proximity" } };
    await writeFile(join(folder, "ibid.config.json"), JSON.stringify(named));
    expect(await callIbid(folder, ["config", "check"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("no message of a wrong value quotes a secret in it", async () => {
    const folder = await makeFolder({ "ibid.config.json": "{}" });
    const address = "qdrant://ada:hunter2@box/";
    for (const content of [
      { engine: address },
      { store: address },
      { blobs: [address] },
      { replica: address },
      { sources: [{ token: "hunter2" }] },
      { serve: { keys: ["hunter2"] } },
      { serve: { login: { issuer: "http://ada:hunter2@box", clientId: "kb", publicUrl: "https://kb.example/" } } },
    ]) {
      await writeFile(join(folder, "ibid.config.json"), JSON.stringify(content));
      const printed = await callIbid(folder, ["config", "print"]);
      const checked = await callIbid(folder, ["config", "check"]);
      expect(checked.code).toBe(2);
      expect(JSON.stringify([printed, checked])).not.toContain("hunter2");
    }
    const place = "postgress://ada:hunter2@box/kb";
    const near = { code: 1, stderr: expect.stringContaining("cannot be kept at postgress://…") as string };
    await writeFile(join(folder, "keys.txt"), "Rotate keys.");
    for (const config of ["ibid.config.json", "none"]) {
      const given = ["--config", config, "--kb", place];
      expect(await callIbid(folder, ["config", "check", ...given])).toMatchObject(near);
      expect(await callIbid(folder, ["ingest", "keys.txt", ...given])).toMatchObject(near);
    }
    await writeFile(join(folder, "ibid.config.json"), JSON.stringify({ kb: place }));
    expect(await callIbid(folder, ["ingest", "keys.txt"])).toMatchObject(near);
    expect((await callIbid(folder, ["config", "print", "--config", "none", "--kb", place])).stdout).not.toContain(
      "hunter2",
    );
    expect(await readdir(folder)).toEqual(["ibid.config.json", "keys.txt"]);
  });

  it("check refuses parts of code, keys and settings of the service as serve does", async () => {
    const schema = '{ "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) } }';
    for (const [content, code, problem] of [
      ['readers: [{ name: "own" }]', 2, "readers: accepts is undefined"],
      ["models: { embedding: { embed() {} } }", 2, "model.provider is of the type undefined"],
      ['models: { embedding: { provider: "own", model: "m", embed() {} } }', 2, "The kind of own/m is undefined"],
      ["models: { formerEmbeddings: [{}] }", 2, "it must be a list of embedding models"],
      ["models: { cache: {} }", 2, "models.cache is an object"],
      ['models: { judge: "ollama/m" }', 2, "models.judge"],
      ['models: { embedding: "openai/text-embedding-3-small" }', 1, "OPENAI_API_KEY"],
      ['models: { prices: { "a/b": {} } }', 2, '"a/b" has no valid price'],
      ["transformers: [{}]", 2, "it must be a list of transformers"],
      ["enhancers: [{}]", 2, "An enhancer has no name"],
      ["reading: { handlers: [{}] }", 2, "A handler has a name"],
      ["search: { bm25: { k1: -3 } }", 2, "bm25 is"],
      ['search: { synonyms: "a => b => c" }', 2, "more than one =>"],
      ["search: { retriever: {} }", 2, "cannot retrieve"],
      ["operations: { events: { append() {} } }", 2, "operations.events is"],
      ["snapshots: { blobs: {} }", 2, "has no need of snapshots"],
      ["replica: { pollMs: 9 }", 2, "replica is for a base in Postgres"],
      ['mcp: { changes: { confirm: "x" } }', 2, "confirm, true or false"],
      ["mcp: { more: [{ execute() {} }] }", 2, "more[0].name"],
      [
        `mcp: { more: [{ name: "search", description: "d", inputSchema: ${schema}, execute() {} }] }`,
        2,
        'the name "search"',
      ],
      ["serve: { entities: { person: { typs: [] } } }", 2, 'Did you mean "types"?'],
      ['serve: { host: "0.0.0.0" }', 2, "without keys every machine"],
      ['serve: { hosts: ["a b"] }', 2, "hosts contains an invalid name"],
      ['serve: { origins: ["app"] }', 2, 'the origin "app" is invalid'],
      ["serve: { limits: { perCaller: 200 } }", 2, "limits.perCaller is 200"],
      ["serve: { metrics: false, metricsPort: 0 }", 2, "metricsPort is given without metrics"],
      ['serve: { keys: "absent.json" }', 1, "absent.json"],
      ['serve: { keys: "short.json" }', 2, "keys.0.key must have at least 16 characters"],
      ['serve: { keys: "keys.json", write: true }', 2, "serve.write"],
    ] as const) {
      const folder = await makeFolder({
        "ibid.config.mjs": `export default { ${content} };`,
        "keys.json": '{ "keys": [{ "name": "ada", "key": "ada-ada-ada-ada-ada" }] }',
        "short.json": '{ "keys": [{ "name": "ada", "key": "ada" }] }',
      });
      const checked = await callIbid(folder, ["config", "check"]);
      const said = { content, code, stderr: expect.stringContaining(problem) as string };
      expect({ content, ...checked }).toMatchObject(said);
      expect(await readdir(folder)).toHaveLength(3);
    }
    const folder = await makeFolder({
      "ibid.config.mjs": `export default {
        chunker: { fingerprint: "own", chunk: () => [] },
        history: true,
        models: { embedding: "none", reranker: "proximity" },
        serve: { host: "0.0.0.0", keys: "keys.json", port: 1, entities: { person: { types: [] } } },
        mcp: { changes: { confirm: true }, topK: 3 },
      };`,
      "keys.json": '{ "keys": [{ "name": "ada", "key": "ada-ada-ada-ada-ada" }] }',
    });
    expect(await callIbid(folder, ["config", "check"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("a file that cannot be run is exit code 1, and one without a default export 2", async () => {
    for (const [content, code, problem] of [
      ["export default {", 1, "cannot be run: "],
      ['import "no-such-package"; export default {};', 1, "no-such-package"],
      ["const lost = {};", 2, "has no default export"],
      ["export const lost = {};", 2, "has no default export"],
    ] as const) {
      const folder = await makeFolder({ "ibid.config.ts": content });
      const checked = await runIbid(folder, ["config", "check"]);
      expect(checked).toMatchObject({ code, stderr: expect.stringContaining(problem) as string });
    }
  });

  it("a module is read in a package that npm init has made CommonJS, with the files that it imports", async () => {
    const written = {
      "package.json": '{ "type": "commonjs" }',
      "parts.ts": "export const name: string = 'theirs';",
      "old.cjs": "module.exports = { port: 9191 };",
    };
    for (const [file, content] of [
      [
        "ibid.config.ts",
        'import { name } from "./parts.ts";\nimport old from "./old.cjs";\nexport default { mcp: { serverName: name }, serve: old };',
      ],
      [
        "ibid.config.js",
        'import { name } from "./parts.ts";\nimport old from "./old.cjs";\nexport default { mcp: { serverName: name }, serve: old };',
      ],
      ["ibid.config.js", 'module.exports = { mcp: { serverName: "theirs" }, serve: require("./old.cjs") };'],
      ["ibid.config.ts", "module.exports = { mcp: { serverName: 'theirs' }, serve: require('./old.cjs') };"],
    ] as const) {
      const folder = await makeFolder({ ...written, [file]: content });
      const { code, stdout, stderr } = await runIbid(folder, ["config", "print"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("serve.port = 9191");
      expect(stdout).toMatch(/^mcp\.serverName = "?theirs/mu);
    }
  });

  it("the service sends webhooks to the networks of its configuration", async () => {
    const told = Promise.withResolvers<string>();
    const receiver = createServer((request, response) => {
      void text(request).then(told.resolve);
      response.end();
    });
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void receiver.close());
    const serve = { port: 0, write: true, webhookNetworks: ["127.0.0.1"] };
    const folder = await makeFolder({ "ibid.config.json": JSON.stringify({ serve }) });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    await fetch(`${await serveFrom(folder)}jobs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: "a.md", text: "Herons wait.", webhook: { url, secret: "a secret of length" } }),
    });
    expect(JSON.parse(await told.promise)).toMatchObject({ type: "job.indexed", job: { uri: "a.md" } });
  });

  it("every limit of the service is in the schema, with its default", () => {
    const options = new Map(placedOptions(configOptions).map((each) => [each.path.join("."), each]));
    for (const name of Object.keys(defaultLimits)) expect(options.has(`serve.limits.${name}`)).toBe(true);
    const schema = schemaOfConfig(configOptions) as {
      properties: { serve: { properties: { limits: { properties: Record<string, { default?: number }> } } } };
    };
    const limits = schema.properties.serve.properties.limits.properties;
    expect(Object.keys(limits).toSorted()).toEqual(Object.keys(defaultLimits).toSorted());
    expect(limits["waiting"]).toMatchObject({ type: "integer", minimum: 0, default: defaultLimits.waiting });
    // An engine is named in either.
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["store", "engine"]));
  });
});

describe("places", () => {
  it("a knowledge base in a parent folder is found, and flag and variable name another", async () => {
    const folder = await makeFolder({ "keys.txt": "Rotate keys with keyctl.", "sub/deep/other.txt": "Herons wait." });
    expect((await callIbid(folder, ["ingest", "keys.txt"])).code).toBe(0);
    const deep = join(folder, "sub", "deep");
    expect((await callIbid(deep, ["list"])).stdout).toContain("keys.txt");
    expect((await callIbid(deep, ["ingest", "other.txt", "--kb", ".ibid"])).code).toBe(0);
    expect((await callIbid(deep, ["list"])).stdout).not.toContain("keys.txt");
    const outer = await callIbid(deep, ["list"], { IBID_KB: join(folder, ".ibid") });
    expect(outer.stdout).toContain("keys.txt");
    const flag = await callIbid(deep, ["list", "--kb", ".ibid"], { IBID_KB: join(folder, ".ibid") });
    expect(flag.stdout).toContain("other.txt");
  });

  it("a configuration above counts, and names the folder from its own place", async () => {
    const folder = await makeFolder({ "ibid.config.json": '{ "kb": "data/kb" }', "sub/a.txt": "Herons wait." });
    const { stdout, code } = await callIbid(join(folder, "sub"), ["ingest", "a.txt", "--json"]);
    expect(code).toBe(0);
    expect(stdout).toContain("a.txt");
    expect((await callIbid(folder, ["list", "--kb", "data/kb"])).stdout).toContain("a.txt");
    // Without it, there is no knowledge base.
    expect((await callIbid(join(folder, "sub"), ["list", "--config", "none"])).code).toBe(1);
  });

  it("files that everybody can write, and those of other users, are passed over and named", async () => {
    const folder = await makeFolder({ "ibid.config.mjs": "throw new Error('it ran');" });
    const file = join(folder, "ibid.config.mjs");
    await chmod(file, 0o666);
    const open = await callIbid(folder, ["config", "check"]);
    expect(open).toMatchObject({ code: 0, stderr: expect.stringContaining(`passed over ${file}`) as string });
    await chmod(file, 0o644);
    expect((await callIbid(folder, ["config", "check"])).stderr).toContain("it ran");
    await chmod(folder, 0o777);
    expect((await callIbid(folder, ["config", "check"])).code).toBe(0);
  });

  it.runIf(process.geteuid?.() === 0)(
    "a configuration or a knowledge base of another user counts for nobody else",
    async () => {
      const folder = await makeFolder({ "ibid.config.json": valid, "sub/a.txt": "a" });
      await mkdir(join(folder, ".ibid"));
      expect(findPlaces(join(folder, "sub"))).toMatchObject({ file: join(folder, "ibid.config.json") });
      await chown(join(folder, "ibid.config.json"), 12_345, 12_345);
      await chown(join(folder, ".ibid"), 12_345, 12_345);
      const found = findPlaces(join(folder, "sub"));
      expect(found.kb).toBeUndefined();
      expect(found).not.toHaveProperty("file");
      expect(found.passedOver).toHaveLength(2);
    },
  );

  it("check and print read the file that a command with the same --kb reads, and name the one that they leave", async () => {
    const folder = await makeFolder({
      "here/ibid.config.json": '{ "serve": { "port": 9191 } }',
      "there/ibid.config.json": '{ "serve": { "port": "often" } }',
    });
    const [here, there] = [join(folder, "here"), join(folder, "there")];
    const own = await callIbid(here, ["config", "check"]);
    expect(own.code).toBe(0);
    expect(own.stdout).toContain(`${join(here, "ibid.config.json")}: valid.`);
    expect(own.stdout).toContain("the same --kb checks that one");
    const other = ["--kb", join(there, ".ibid")];
    const wrong = await callIbid(here, ["config", "check", ...other]);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(join(there, "ibid.config.json")) as string,
    });
    await writeFile(join(there, "ibid.config.json"), '{ "serve": { "port": 9292 } }');
    const unread = `${join(here, "ibid.config.json")} is not read`;
    expect((await callIbid(here, ["config", "check", ...other])).stdout).toContain(unread);
    const printed = await callIbid(here, ["config", "print", ...other]);
    expect(printed.stdout).toContain(`file = ${join(there, "ibid.config.json")}\n`);
    expect(printed.stdout).toContain("serve.port = 9292");
    expect(printed.stdout).toContain(unread);
    const [json] = jsonLines((await callIbid(here, ["config", "check", "--json"], { IBID_KB: other[1] })).stdout);
    expect(json).toMatchObject({ file: join(there, "ibid.config.json"), unread: join(here, "ibid.config.json") });
  });

  it("code runs from the folder of the knowledge base and from those above it alone", async () => {
    const folder = await makeFolder({ "app/ibid.config.mjs": "export default {};", "data/x.txt": "x" });
    const file = join(folder, "app", "ibid.config.mjs");
    for (const [kb, isAllowed] of [
      ["app/.ibid", true],
      ["app/deep/er/.ibid", true],
      ["data/.ibid", false],
      [".ibid", false],
      ["application/.ibid", false],
    ] as const) {
      const check = (): string => {
        try {
          checkCode(file, join(folder, kb));
          return "allowed";
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      expect(check()).toBe(isAllowed ? "allowed" : "access-denied");
      // JSON runs nothing.
      checkCode(join(folder, "app", "ibid.config.json"), join(folder, kb));
    }
    const elsewhere = await callIbid(join(folder, "data"), ["ingest", "x.txt", "--config", file, "--kb", ".ibid"]);
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("runs code") as string });
    await writeFiles(folder, { "app/ibid.config.mjs": 'export default { kb: "../data/.ibid" };' });
    expect((await callIbid(join(folder, "app"), ["list"])).stderr).toContain("runs code");
  });
});

describe("parts of one's own on the command line", () => {
  it("readers, chunkers and models of ibid.config.ts serve ingest, search and ask", async () => {
    const folder = await makeFolder({
      "ibid.config.ts": `
        const model = {
          provider: "own",
          model: "echo",
          async chat() { return { message: { role: "assistant", content: "Herons wait. [1]" } }; },
          async *stream() {
            yield { type: "text", delta: "Herons wait. [1]" };
            yield { type: "finish", result: { message: { role: "assistant", content: "Herons wait. [1]" } } };
          },
        } as const;
        export default {
          readers: [{ name: "birds@1", accepts: () => true, read: () => ({ text: "Herons wait. Otters swim." }) }],
          chunker: { fingerprint: "own@1", chunk: () => [{ start: 0, end: 12 }, { start: 12, end: 25 }] },
          models: { chat: model },
        };`,
      "a.birds": "\\0",
    });
    const ingested = await callIbid(folder, ["ingest", "a.birds", "--json"]);
    expect(ingested.stderr).toBe("");
    const found = await callIbid(folder, ["search", "otters", "--json"]);
    expect(found.stdout).toContain("Otters swim.");
    expect(found.stdout).not.toContain("Herons wait. Otters");
    const asked = await callIbid(folder, ["ask", "What do herons do?", "--json"]);
    expect(asked.stderr).toBe("");
    expect(JSON.parse(asked.stdout)).toMatchObject({ kind: "written", text: "Herons wait. [1]" });
  });

  it("a model of code needs no warning of a status, and a model that fails says why", async () => {
    const model = new URL("../../src/models/hashing/hashing-model.ts", import.meta.url).href;
    const folder = await makeFolder({
      "ibid.config.ts": `
        import { createHashingModel } from ${JSON.stringify(model)};
        const chat = {
          provider: "own",
          model: "broken",
          async chat() { throw new Error("the key expired"); },
          async *stream() { throw new Error("the key expired"); },
        };
        export default { models: { embedding: createHashingModel(), chat } };`,
      "a.txt": "Herons wait.",
    });
    await callIbid(folder, ["ingest", "a.txt"]);
    expect(await callIbid(folder, ["status"])).toMatchObject({ code: 0, stderr: "" });
    // Without the configuration nothing says by which model a search embeds.
    const other = await callIbid(folder, ["status", "--config", "none"]);
    expect(other.stderr).toContain("ibid/hashing");
    const asked = await callIbid(folder, ["ask", "What do herons do?"]);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("the key expired") as string });
  });

  it("agents get the name, the guidance and the tools of ibid.config.ts, on both ways", async () => {
    const folder = await makeFolder({
      "ibid.config.ts": `
        const tide = {
          name: "tide", title: "Tide", description: "The tide.", readOnly: true,
          inputSchema: { "~standard": { version: 1, vendor: "own", jsonSchema: { input: () => ({ type: "object", properties: {} }), output: () => ({}) }, validate: (value) => ({ value }) } },
          execute: async () => "High.",
        };
        export default {
          serve: { port: 0, originals: false, threadDays: 0 },
          mcp: { serverName: "herons", instructions: "Ask about herons alone.", more: [tide] },
        };`,
      "a.txt": "Herons wait.",
    });
    await callIbid(folder, ["ingest", "a.txt"]);
    const service = await serveFrom(folder);
    const ways = [
      new StdioClientTransport({
        command: process.execPath,
        args: [executable, "mcp"],
        cwd: folder,
        env: bareEnv(folder) as Record<string, string>,
      }),
      new StreamableHTTPClientTransport(new URL("mcp", service)),
    ];
    for (const way of ways) {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(way);
      expect(client.getServerVersion()?.name).toBe("herons");
      expect(client.getInstructions()).toBe("Ask about herons alone.");
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("tide");
      await client.close();
    }
    expect((await fetch(`${service}threads`)).status).toBe(404);
  });

  it("a store of ibid.config.ts keeps what every command writes and reads", async () => {
    const stores = new URL("../../src/stores/sqlite/index.ts", import.meta.url).href;
    const folder = await makeFolder({
      "ibid.config.ts": `
        import { openSqliteStore } from ${JSON.stringify(stores)};
        export default { store: await openSqliteStore(new URL("./own.sqlite", import.meta.url).pathname) };`,
      "a.txt": "Herons wait.",
    });
    // The store is opened with the configuration, so each command is a process of its own.
    const ingested = await runIbid(folder, ["ingest", "a.txt", "--json"]);
    expect([ingested.code, ingested.stderr]).toEqual([0, ""]);
    expect((await runIbid(folder, ["search", "herons", "--json"])).stdout).toContain("Herons wait.");
    expect(await readdir(folder)).toContain("own.sqlite");
    expect(await readdir(join(folder, ".ibid")).catch(() => [])).not.toContain("ibid.sqlite");
    const printed = await runIbid(folder, ["config", "print"]);
    expect(printed.stdout).toContain("store = ");
  });

  it("the service takes its port and keys from it, and a limit from a variable above it", async () => {
    const key = "ada-ada-ada-ada-ada";
    const folder = await makeFolder({
      "ibid.config.json": '{ "serve": { "port": 0, "keys": "keys.json", "limits": { "maxJsonBytes": 5 } } }',
      "keys.json": JSON.stringify({ keys: [{ name: "ada", key }] }),
      "a.txt": "Herons wait.",
    });
    await callIbid(folder, ["ingest", "a.txt"]);
    await mkdir(join(folder, "sub"));
    const listening = await serveFrom(join(folder, "sub"), { IBID_SERVE_LIMITS_MAX_JSON_BYTES: "50" });
    const search = (query: string): Promise<Response> =>
      fetch(`${listening}search`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ query }),
      });
    expect((await search("herons")).status).toBe(200);
    expect((await search("herons ".repeat(10))).status).toBe(413);
    expect((await fetch(`${listening}documents`)).status).toBe(401);
  });
});
