import { z } from "zod";
import { platformNow } from "../runtime/platform-clock.ts";
import { accessKey, createKeyring } from "./caller-keys.ts";
import { given } from "./given.ts";
import type { AccessKey, HandlerOptions } from "./handler-options.ts";
import { addKey, isExpired, type NewKey, revokeKey, rotateKey } from "./manage-keys.ts";
import { checkWriter } from "./operator-routes.ts";
import { Refusal } from "./refusal.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

const name = z.string().trim().min(1).max(100);
const entry = accessKey.omit({ key: true, sha256: true });
const shownKey = entry
  .extend({
    isExpired: z.boolean(),
    lastUsedAt: z.iso.datetime().optional().meta({ description: "The latest request of the name, since the start." }),
  })
  .meta({ id: "ShownKey", description: "An entry of the list, without the key." });
const keysResponse = z
  .strictObject({
    keys: z.array(shownKey),
    mayChange: z.boolean().meta({ description: "Whether this caller may add, replace and revoke keys here." }),
  })
  .meta({ id: "Keys" });
const newKeyBody = entry.meta({
  id: "NewKey",
  examples: [{ name: "eve", userId: "eve", teams: ["acme"], write: true, expiresAt: "2999-01-31T00:00:00Z" }],
});
const dayHours = 24;
const rotationBody = z
  .strictObject({
    name,
    overlapHours: z.number().min(0).max(8760).default(dayHours).meta({
      description: "Time in which the former keys open too.",
    }),
    expiresInDays: z.number().min(0).max(36_500).optional().meta({
      description: "Default: when the former key was to end.",
    }),
  })
  .meta({ id: "KeyRotation", examples: [{ name: "ada" }] });
const madeResponse = z
  .strictObject({
    name,
    key: z.string().meta({ description: "The key itself. It is shown once: the list has its hash alone." }),
    expiresAt: z.string().optional(),
  })
  .meta({ id: "MadeKey" });
const revokedResponse = z.strictObject({ revoked: name });

/** Names that are remembered with their latest request. */
const mostNames = 10_000;

/** Notes that a caller has sent a request. */
export function noteUse(usedAt: Map<string, number>, caller: string): void {
  usedAt.delete(caller);
  usedAt.set(caller, platformNow());
  if (usedAt.size > mostNames) usedAt.delete(usedAt.keys().next().value!);
}

/** The keys of a service, for operators; none without keys. `usedAt` has the latest request of each name. */
export function createKeyRoutes(
  { keys, changeKeys }: Pick<HandlerOptions, "keys" | "changeKeys">,
  usedAt: ReadonlyMap<string, number>,
): readonly Route[] {
  if (keys === undefined) return [];
  const list = (): readonly AccessKey[] => (typeof keys === "function" ? keys() : keys);
  const change = async (work: (all: readonly AccessKey[]) => readonly AccessKey[]): Promise<void> => {
    if (changeKeys === undefined)
      throw new Refusal(403, "access-denied", "This service does not write its keys.", {
        hint: "Change them where they are kept, such as with: ibid keys add NAME",
      });
    await changeKeys((all) => {
      const changed = work(all);
      createKeyring(changed);
      return changed;
    });
  };
  const make = async (of: string, work: (all: readonly AccessKey[]) => NewKey): Promise<Response> => {
    let made: NewKey | undefined;
    await change((all) => (made = work(all)).keys);
    const { expiresAt } = made!.keys.findLast((each) => each.name === of)!;
    return jsonResponse({ name: of, key: made!.key, ...given({ expiresAt }) });
  };
  return [
    defineRoute({
      method: "GET",
      path: "/keys",
      name: "listKeys",
      summary: "The keys of the service by their names, with rights, limits and latest requests, and never a key.",
      tag: "operation",
      needs: "operator",
      isLight: true,
      answers: { 200: { description: "The keys.", content: { "application/json": keysResponse } } },
      async handle({ caller }) {
        const shown = list().map(({ key: _key, sha256: _hash, ...own }) => {
          const used = usedAt.get(own.name);
          const lastUsedAt = used === undefined ? undefined : new Date(used).toISOString();
          return { ...own, isExpired: isExpired(own), ...given({ lastUsedAt }) };
        });
        return jsonResponse({ keys: shown, mayChange: changeKeys !== undefined && caller!.mayWrite });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/keys",
      name: "addKey",
      summary: "Makes a key for a new name, and shows it once.",
      tag: "operation",
      needs: "operator",
      body: newKeyBody,
      answers: { 200: { description: "The key.", content: { "application/json": madeResponse } } },
      async handle(call) {
        checkWriter(call);
        const own = given(call.body) as Omit<AccessKey, "key" | "sha256">;
        return make(own.name, (all) => addKey(all, own));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/keys/rotate",
      name: "rotateKey",
      summary: "Makes a further key for a name, and lets the former ones expire.",
      tag: "operation",
      needs: "operator",
      body: rotationBody,
      answers: { 200: { description: "The key.", content: { "application/json": madeResponse } } },
      async handle(call) {
        checkWriter(call);
        const { name: of, overlapHours, expiresInDays: days } = call.body;
        const expiresMs = days === undefined ? undefined : days * dayHours * 3_600_000;
        return make(of, (all) => rotateKey(all, of, { overlapMs: overlapHours * 3_600_000, expiresMs }));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/key",
      name: "revokeKey",
      summary: "Removes all keys of a name. They open nothing from the next request on.",
      tag: "operation",
      needs: "operator",
      query: z.strictObject({ name }),
      answers: { 200: { description: "The name.", content: { "application/json": revokedResponse } } },
      async handle(call) {
        checkWriter(call);
        const { name: of } = call.query;
        if (of === call.caller!.name)
          throw new Refusal(400, "invalid-argument", "This is the key of your own request.", {
            hint: "Revoke it with the key of another operator, or with: ibid keys revoke NAME",
          });
        await change((all) => revokeKey(all, of));
        return jsonResponse({ revoked: of });
      },
    }),
  ];
}
