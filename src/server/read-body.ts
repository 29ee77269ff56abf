import type * as z from "zod";
import { abortError } from "../runtime/abort.ts";
import { Refusal } from "./refusal.ts";

/** How large a body may be, and how long it may take to come. */
export interface BodyLimits {
  /** **Units** bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * A body, whole.
 *
 * **Errors** refusals: 413 as soon as more has come than is allowed, whatever was announced; 408 for one that comes too slowly; 400 for one that breaks off;
 * 415 for a compressed one, which could unpack to anything.
 */
export async function readBytes(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") throw new Refusal(415, "unsupported-media", "Send the body as it is, not compressed.");
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();

  const reader = request.body.getReader();
  const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), request.signal]);
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await untilFired(reader.read(), deadline, request.signal);
      if (done) return join(parts, size);
      size += value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      parts.push(value);
    }
  } catch (error) {
    // Nobody waits for the rest, nor for its end.
    reader.cancel().catch(() => {});
    throw error;
  }
}

async function untilFired<Value>(
  read: Promise<Value>,
  deadline: AbortSignal,
  client: { readonly aborted: boolean },
): Promise<Value> {
  let stop: (() => void) | undefined;
  const fired = new Promise<never>((_resolve, reject) => {
    stop = () =>
      reject(
        client.aborted
          ? abortError(deadline, "The request")
          : new Refusal(408, "timeout", "The body came too slowly.", { connection: "close" }),
      );
    if (deadline.aborted) stop();
    else deadline.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([
      read.catch(() => {
        throw new Refusal(400, "invalid-argument", "The body breaks off.");
      }),
      fired,
    ]);
  } finally {
    if (stop !== undefined) deadline.removeEventListener("abort", stop);
  }
}

/** **Errors** 415 for what does not say that it is JSON in UTF-8; 400 for what is not, and for what the schema does not know. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  limits: BodyLimits,
): Promise<z.output<Schema>> {
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  if (type.trim() !== "application/json" || !/^(?:|charset="?utf-8"?)$/u.test(charset ?? ""))
    throw new Refusal(415, "unsupported-media", "Send JSON in UTF-8, and content-type: application/json.");
  const bytes = await readBytes(request, limits);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, "invalid-argument", "The body is not JSON in UTF-8.");
  }
  return checked(schema, value);
}

/** The parameters of an address. **Errors** 400 for what the schema does not know, and for one that is given twice. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  const given: [string, string][] = [...new URL(request.url).searchParams];
  const twice = given.find(([name], index) => given.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined)
    throw new Refusal(400, "invalid-argument", `A parameter is given twice: ${nameOf(twice[0])}.`);
  return checked(schema, Object.fromEntries(given));
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const said = parsed.error.issues.slice(0, 3).map(({ path, message }) => {
    const where = path.map(String).join(".");
    if (where === "") return message;
    return message.endsWith("received undefined") ? `${where} is missing` : `${where}: ${message}`;
  });
  throw new Refusal(400, "invalid-argument", `${said.join("; ").slice(0, 500)}.`);
}

const nameOf = (text: string): string => JSON.stringify(text.slice(0, 40));

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, "too-large", `The body is larger than the ${maxBytes} bytes that are allowed here.`, {
    connection: "close",
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
