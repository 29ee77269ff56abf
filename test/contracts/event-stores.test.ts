import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";

import { createEventFile, openSqliteEventStore } from "../../src/stores/sqlite/sqlite-event-store.ts";
import { createEventStoreTracer, noTracer } from "../../src/knowledge-base/operations/event-tracer.ts";
import { collect } from "../../src/testing/assert.ts";
import { createMemoryEventStore } from "../../src/stores/memory/memory-event-store.ts";
import { createEventStorePack } from "../packs/event-store-pack.ts";
import { createTracerPack } from "../packs/tracer-pack.ts";
import { runPack } from "./run-pack.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-events-"));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const fresh = (): string => join(root, `events-${count++}.sqlite`);

describe("the memory event store", () => {
  runPack(createEventStorePack({ create: createMemoryEventStore }));
});

describe("the SQLite event store", () => {
  runPack(createEventStorePack({ create: (options) => openSqliteEventStore(fresh(), options) }));
});

describe("the tracer that does nothing", () => {
  runPack(createTracerPack({ create: () => noTracer }));
});

describe("the tracer that writes events", () => {
  const stores = new WeakMap<object, ReturnType<typeof createMemoryEventStore>>();
  runPack(
    createTracerPack({
      create() {
        const store = createMemoryEventStore();
        const tracer = createEventStoreTracer(store);
        stores.set(tracer, store);
        return tracer;
      },
      read: (tracer) => collect(stores.get(tracer)!.read()),
    }),
  );
});

describe("the tracer that writes events into a file opened late", () => {
  const stores = new WeakMap<object, ReturnType<typeof createEventFile>>();
  runPack(
    createTracerPack({
      create() {
        const store = createEventFile(fresh(), {});
        const tracer = createEventStoreTracer(store);
        stores.set(tracer, store);
        return tracer;
      },
      read: (tracer) => collect(stores.get(tracer)!.read()),
    }),
  );
});
