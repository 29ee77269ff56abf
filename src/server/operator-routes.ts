import * as z from "zod";
import type { EventName, KnowledgeEvent } from "../contracts/event-store.ts";
import { given } from "./given.ts";
import { Refusal } from "./refusal.ts";
import { scopeSchema } from "./request-schemas.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "./route.ts";

const finding = z.strictObject({
  kind: z.string(),
  message: z.string(),
  scope: z.string().optional(),
  count: z.int(),
  fixed: z.boolean(),
  hint: z.string().optional(),
});
const diagnosis = z
  .looseObject({
    healthy: z.boolean(),
    findings: z.array(finding),
    residue: z.int(),
    checked: z.record(z.string(), z.int()),
  })
  .meta({ id: "Diagnosis" });
const doctorBody = z
  .strictObject({
    fix: z.boolean().optional().meta({ description: "Repairs all that can be repaired." }),
    absent: z
      .array(z.string().min(8).max(10_000))
      .max(100)
      .optional()
      .meta({ description: "Texts that no file may hold." }),
  })
  .meta({ id: "Examination", examples: [{ fix: false }] });

const hourMs = 3_600_000;
const vacuumBody = z
  .strictObject({
    olderThanHours: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: "Age of a deletion from which on it is erased. Default 168, a week." }),
    scope: scopeSchema.optional(),
  })
  .meta({ id: "Vacuum", examples: [{ olderThanHours: 720 }] });
const vacuumed = z.strictObject({ chunks: z.int(), pending: z.boolean() }).meta({ id: "Vacuumed" });

const eventsQuery = z.strictObject({
  name: z.string().min(1).max(100).optional().meta({ description: "Only events of this name." }),
  scope: scopeSchema.optional(),
  since: z.iso
    .datetime({ offset: true, error: "must be a time such as 2026-05-01T00:00:00Z" })
    .optional()
    .meta({ description: "Only events of then or later." }),
  before: z.iso
    .datetime({ offset: true, error: "must be a time such as 2026-05-01T00:00:00Z" })
    .optional()
    .meta({ description: "Only earlier events: with the time of the first one of a page, the page before." }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
const eventPage = z
  .strictObject({
    events: z.array(
      z.looseObject({ name: z.string(), at: z.iso.datetime(), scopes: z.array(z.string()), data: z.looseObject({}) }),
    ),
    more: z.boolean(),
  })
  .meta({ id: "EventPage" });

/** Care for a knowledge base over HTTP: for operators, and where it writes, for those who may. */
export const operatorRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/doctor",
    name: "examine",
    summary: "Checks all stored rows, words and vectors against each other; with fix, repairs them.",
    tag: "operation",
    needs: "operator",
    isSlow: true,
    body: doctorBody,
    answers: { 200: { description: "The diagnosis.", content: { "application/json": diagnosis } } },
    asked: ({ body: { absent = [] } }) => absent,
    async handle(call) {
      const { fix, absent } = call.body;
      if (fix === true) checkWriter(call);
      return jsonResponse(await call.kb.doctor(given({ fix, absent })));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/vacuum",
    name: "vacuum",
    summary: "Erases deleted documents from every file.",
    tag: "operation",
    needs: "operator",
    isSlow: true,
    body: vacuumBody,
    answers: { 200: { description: "The number of erased chunks.", content: { "application/json": vacuumed } } },
    async handle(call) {
      checkWriter(call);
      const { olderThanHours: hours, scope } = call.body;
      const { chunks, pending = false } = await call.kb.vacuum(
        given({ olderThanMs: hours === undefined ? undefined : hours * hourMs, scope }),
      );
      return jsonResponse({ chunks, pending });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/events",
    name: "listEvents",
    summary: "Events of searches, answers and writes, latest last; no word of a question or a text is in them.",
    tag: "operation",
    needs: "operator",
    query: eventsQuery,
    answers: {
      200: { description: "The latest events of the selection.", content: { "application/json": eventPage } },
    },
    async handle({ kb, query: { name, scope, since, before, limit }, signal }) {
      const latest: KnowledgeEvent[] = [];
      let more = false;
      const selection = given({
        names: name === undefined ? undefined : [name as EventName],
        scope,
        from: since === undefined ? undefined : Date.parse(since),
        to: before === undefined ? undefined : Date.parse(before),
      });
      for await (const event of kb.events(selection)) {
        signal.throwIfAborted();
        latest.push(event);
        if (latest.length <= limit) continue;
        latest.shift();
        more = true;
      }
      const events = latest.map(({ at, ...event }) => ({ ...event, at: new Date(at).toISOString() }));
      return jsonResponse({ events, more });
    },
  }),
];

function checkWriter({ caller }: Call): void {
  if (caller!.mayWrite) return;
  throw new Refusal(403, "access-denied", "This needs the right to write.", {
    hint: 'Use a key with "operator": true and "write": true; without keys, start the service with --write.',
  });
}
