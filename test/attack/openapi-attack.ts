import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { IbidError } from "../../src/contracts/errors.ts";
import { importOpenApi } from "../../src/integrations/compat/openapi/import-open-api.ts";
import { createRandom } from "../../src/testing/random.ts";
import { openNeighbours, permitted } from "./loopback.ts";
import { scaled, type Tally } from "./tally.ts";

/**
 * Descriptions of a hostile author, hostile arguments of a model, and redirects. The token goes to the description's own
 * server, below the operation's path, and to no other.
 */
export async function attackOpenApi(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const breaches: string[] = [];
  let description: object = {};
  let told = "";
  let location: string | undefined;
  let called = 0;
  const elsewhere = createServer((request, response) => {
    breaches.push(`${told}: another server got ${request.method} ${request.url}`);
    response.end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, permitted, resolve));
  const other = `${permitted}:${(elsewhere.address() as AddressInfo).port}`;
  const door = await openNeighbours((request, response) => {
    const path = request.url ?? "";
    if (path === "/api/openapi.json") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(description));
      return;
    }
    called += 1;
    if (!/\/items\/[^/]+$/u.test(new URL(path, `http://${permitted}/`).pathname))
      breaches.push(`${told}: its server got ${path}`);
    if (request.headers["x-evil"] !== undefined) breaches.push(`${told}: a header was added`);
    if (location === undefined) response.writeHead(200, { "content-type": "text/plain" }).end("fine");
    else response.writeHead(302, { location }).end();
  });
  const own = `${permitted}:${door.port}`;
  const servers = [
    "/api",
    "/api/",
    `http://${own}/api`,
    `//${other}/api`,
    `http://${other}`,
    `http://127.0.0.1:${door.port}`,
  ];
  const odd = [
    `http://${own}@${other}/`,
    `http://${other}\\@${own}/`,
    "file:///etc/passwd",
    "\\\\evil.test\\",
    "https:/",
    "",
  ];
  const values = [
    "1",
    "../admin",
    "..",
    ".",
    "%2e%2e",
    "..%2fadmin",
    "a/../../../admin",
    `//${other}/`,
    `http://${other}/`,
  ];
  const more = ["x\r\nx-evil: 1", "?a=b#c", "\\..\\admin", "ｅ/．．/", "\u0000", "", "{id}", ";/../.."];
  const attempts = scaled(3000, size);
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const server = (): object => ({ url: random.pick(random.below(3) === 0 ? odd : servers) });
      const some = (): object => (random.below(4) === 0 ? { servers: [server()] } : {});
      const id = random.pick(random.below(2) === 0 ? values : more);
      const note = random.pick(random.below(2) === 0 ? values : more);
      const at = (name: string, place: string): object => ({ name, in: place, required: place === "path", schema: {} });
      const item = {
        ...some(),
        get: {
          ...some(),
          operationId: "read",
          parameters: [at("id", "path"), at("q", "query"), at("x-note", "header")],
        },
      };
      description = {
        openapi: "3.0.3",
        servers: [attempt % 2 === 0 ? { url: "/api" } : server()],
        paths: { "/items/{id}": item },
      };
      location = random.pick([undefined, `http://${other}/`, `//${other}/x`, `http://127.0.0.1:${door.port}/`]);
      told = `${JSON.stringify(description)} with ${JSON.stringify([id, note])}, redirected to ${location}`;
      try {
        const plugin = await importOpenApi(new URL(`http://${own}/api/openapi.json`), {
          bearer: "secret-token",
          allowAddress: (address) => address === permitted,
        });
        await plugin.tools[0]!.execute({ id, q: note, x_note: note });
      } catch (error) {
        if (!IbidError.isInstance(error)) breaches.push(`${told}: ${String(error)}`);
        else if (`${error.message} ${error.hint}`.includes("secret-token"))
          breaches.push(`${told}: the error tells the token`);
      }
      if (door.reached() > 0) breaches.push(`${told}: connected to this machine`);
    }
    if (attempts > 50 && called === 0)
      breaches.push("no operation was called at all, so that the attack shows nothing");
  } finally {
    elsewhere.close();
    door.close();
  }
  return [{ promise: "A token of a plugin goes to its own server alone", unit: "calls", attempts, breaches }];
}
