import type * as z from "zod";
import { abortError } from "../runtime/abort.ts";
import { Refusal } from "./refusal.ts";

/** Limits of a request's body. */
export interface BodyLimits {
  /** **Units** bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Reads a whole body.
 *
 * hono's own body limit trusts `content-length`, knows no deadline, and needs patched globals on Node. This reader counts each byte that arrives.
 *
 * **Errors** refusals: 413 once more bytes arrive than allowed, 408 after the deadline, 400 for a body that breaks off, 415 for a compressed one.
 */
export async function readBytes(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new Refusal(415, "unsupported-media", `The body's content-encoding is ${quote(encoding)}.`, {
      hint: "Send the body without compression.",
    });
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();

  const reader = request.body.getReader();
  const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), request.signal]);
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(request.signal.aborted ? abortError(request.signal, "The request") : tooSlow(timeoutMs));
    if (deadline.aborted) stop();
    else deadline.addEventListener("abort", stop, { once: true });
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(brokenOff), stopped]);
      if (done) return join(parts, size);
      size += value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      parts.push(value);
    }
  } catch (error) {
    // The rest of the body is not awaited.
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    deadline.removeEventListener("abort", stop);
  }
}

/** Reads a JSON body. **Errors** 415 for another content type or charset; 400 for invalid JSON, and for values that the schema refuses. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limits: BodyLimits,
): Promise<z.output<Schema>> {
  const given = request.headers.get("content-type") ?? "";
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  if (type.trim() !== "application/json" || !/^(?:|charset="?utf-8"?)$/u.test(charset ?? "")) {
    const found = given === "" ? "has no content-type" : `has the content-type ${quote(given)}`;
    throw new Refusal(415, "unsupported-media", `The body ${found}.`, {
      hint: "Send JSON in UTF-8 with content-type: application/json.",
    });
  }
  const bytes = await readBytes(request, limits);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, "invalid-argument", "The body is not valid JSON in UTF-8.", {
      hint: 'Send one JSON object, such as {"query": "rotate a key"}.',
    });
  }
  return checked(schema, value, "the body");
}

/** Reads the parameters of an address. **Errors** 400 for values that the schema refuses, and for a parameter that is given twice. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema | undefined): z.output<Schema> {
  const given = [...new URL(request.url).searchParams];
  const twice = given.find(([name], index) => given.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined) {
    throw new Refusal(400, "invalid-argument", `The parameter ${quote(twice[0])} is given twice.`, {
      hint: "Give each parameter once.",
    });
  }
  if (schema !== undefined) return checked(schema, Object.fromEntries(given), "the address");
  if (given.length === 0) return undefined as z.output<Schema>;
  throw new Refusal(400, "invalid-argument", `The parameter ${quote(given[0]![0])} is unknown: this route has none.`, {
    hint: "Leave out everything from the question mark on.",
  });
}

/** **Errors** 400 with the path and the rule of at most three problems. */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 3).map((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      const names = issue.keys.slice(0, 3).map(quote).join(", ");
      return `${[path, names].filter(Boolean).join(": ")} ${issue.keys.length === 1 ? "is" : "are"} unknown in ${where}`;
    }
    if (path === "") return issue.message;
    return issue.message.endsWith("received undefined") ? `${path} is missing` : `${path}: ${issue.message}`;
  });
  throw new Refusal(400, "invalid-argument", `${problems.join("; ").slice(0, 500)}.`, {
    hint: "See GET /openapi.json for the fields of each route.",
  });
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 40));

function brokenOff(): never {
  throw new Refusal(400, "invalid-argument", "The body ends before it is complete.", { hint: "Send it again." });
}

function tooSlow(timeoutMs: number): Refusal {
  return new Refusal(408, "timeout", `The body took longer than ${timeoutMs} ms.`, {
    hint: "Send it faster, or send less.",
    headers: { connection: "close" },
  });
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, "too-large", `The body has more than ${maxBytes} bytes.`, {
    hint: "Send less at once, or ask the operator for higher limits.",
    headers: { connection: "close" },
  });
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
