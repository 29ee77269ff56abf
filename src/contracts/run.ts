/**
 * A promise for the result of some work, which can also be iterated for the events on the way.
 *
 * **Shape** the work starts when the run is first awaited or iterated, and runs once. A loop sees every event that comes after it began, so begin it
 * before or together with awaiting: events without a loop are dropped.
 * **Errors** leaving a loop early stops the work: the promise then rejects with `aborted`. A failure reaches both the loop and the promise.
 * @example
 * const run = kb.ingest("./docs");
 * for await (const result of run) console.log(result.uri, result.status);
 * const summary = await run;
 */
export interface Run<Event, Result> extends Promise<Result>, AsyncIterable<Event> {}
