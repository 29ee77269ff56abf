import { z } from "zod";
import type { EventName, KnowledgeEvent } from "../contracts/event-store.ts";
import { evaluateQuestions } from "../eval/evaluate-questions.ts";
import { parseQuestions } from "../eval/questions.ts";
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
    sought: z
      .array(z.enum(["absent", "held", "left", "unproved"]))
      .optional()
      .meta({ description: "Result for each of the `absent` texts, in their order." }),
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

const evaluationBody = z
  .strictObject({
    questions: z.array(z.looseObject({})).min(1).max(1000).meta({
      description: "Questions with known answers, each an object as on a line of questions.jsonl.",
    }),
    mode: z
      .enum(["hybrid", "dense", "lexical"])
      .optional()
      .meta({ description: 'Legs that search. Default "hybrid".' }),
    metrics: z.array(z.string().max(30)).min(1).max(30).optional().meta({
      description: "Such as success@5, document@5, page@5, span@5, recall@10, mrr@10, answered, refused.",
    }),
    depth: z.int().min(1).max(1000).optional().meta({ description: "Hits a question. Default 100." }),
  })
  .meta({
    id: "QuestionSet",
    examples: [{ questions: [{ question: "How long is a key valid?", uri: "keys.md", quote: "ninety days" }] }],
  });
const estimate = z.strictObject({ mean: z.number(), low: z.number(), high: z.number(), queries: z.int() });
const metricValues = z.record(z.string(), estimate);
const evaluated = z
  .strictObject({
    questions: z.int(),
    metrics: metricValues.meta({ description: "Means with their 95 % confidence intervals." }),
    kinds: z.record(z.string(), z.strictObject({ questions: z.int(), metrics: metricValues })),
    latencyMs: z.strictObject({ p50: z.number(), p95: z.number(), p99: z.number() }),
    lost: z
      .array(z.int())
      .meta({ description: "Places in the list, from 1, of questions none of whose places was found." }),
    stale: z.array(z.int()).meta({ description: "Of these, the questions whose places are in no document." }),
    answeredWrongly: z
      .array(z.int())
      .meta({ description: "Questions without an answer that were answered all the same." }),
    problems: z.array(z.strictObject({ line: z.int(), problem: z.string() })),
  })
  .meta({ id: "QuestionEvaluation" });

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
    method: "POST",
    path: "/evaluate",
    name: "evaluate",
    summary:
      "Asks questions with known answers, and scores what is found. Where a model answers, it is asked each of them.",
    tag: "operation",
    needs: "operator",
    isSlow: true,
    body: evaluationBody,
    answers: { 200: { description: "The metrics.", content: { "application/json": evaluated } } },
    asked: ({ body: { questions } }) => questions.map(({ question }) => String(question)),
    async handle({ kb, body: { questions: lines, mode, metrics, depth }, signal }) {
      const questions = parseQuestions(lines.map((line) => JSON.stringify(line)).join("\n"));
      const { kinds, lost, stale, answeredWrongly, problems, latencyMs, ...whole } = await evaluateQuestions(
        kb,
        questions,
        given({ mode, metrics, depth, signal }),
      );
      const linesOf = (list: typeof lost): readonly number[] => list.map(({ line }) => line);
      return jsonResponse({
        questions: questions.length,
        metrics: whole.metrics,
        kinds: Object.fromEntries(
          Array.from(kinds, ([kind, own]) => [kind, { questions: own.queries.size, metrics: own.metrics }]),
        ),
        latencyMs,
        lost: linesOf(lost),
        stale: linesOf(stale),
        answeredWrongly: linesOf(answeredWrongly),
        problems,
      });
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

/** **Errors** 403 for a caller without the right to write. */
export function checkWriter({ caller }: Call): void {
  if (caller!.mayWrite) return;
  throw new Refusal(403, "access-denied", "This needs the right to write.", {
    hint: 'Use a key with "operator": true and "write": true; without keys, start the service with --write.',
  });
}
