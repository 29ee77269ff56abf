import { announced, hasLogin, locked, openPlace, readKept, session, type Session, t } from "./state.ts";

/** A failure that a person can read: its sentences, and the id of the request in the log. */
export class Failure extends Error {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Language of the message, where it is not that of the page: the service speaks English. */
  readonly lang: "en" | undefined;
  /** The code of the service, for which the catalogues may have a sentence. */
  readonly code: string | undefined;

  constructor(message: string, status: number, requestId?: string, lang?: "en", code?: string) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.lang = lang;
    this.code = code;
  }
}

let key: string | undefined;
try {
  key = sessionStorage.getItem("ibid-key") ?? undefined;
} catch {
  // Without storage the key lives as long as the page.
}

export function setKey(value: string | undefined): void {
  key = value;
  try {
    if (value === undefined) sessionStorage.removeItem("ibid-key");
    else sessionStorage.setItem("ibid-key", value);
  } catch {
    // As above.
  }
}
/** Whether the person gave a key; a proxy or a login names others. */
export const holdsKey = (): boolean => key !== undefined;
export const keyHeaders = (): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` });

/** The first sign of a key that no header can carry. **Source** RFC 6750, 2.1: visible ASCII. */
export const wrongSign = (text: string): string | undefined => /[^\u0021-\u007E]/u.exec(text)?.[0];

interface Told {
  readonly error?: {
    readonly code?: string;
    readonly message: string;
    readonly hint?: string;
    readonly requestId: string;
  };
}

export async function failureOf(response: Response): Promise<Failure> {
  const told = (await response.json().catch(() => undefined)) as Told | undefined;
  const { error } = told ?? {};
  if (response.status === 401) {
    locked.value = key === undefined ? "missing" : "unknown";
    setKey(undefined);
    return new Failure(t(locked.value === "missing" ? "keyMissing" : "keyUnknown"), 401);
  }
  const message =
    error === undefined
      ? t("failedWith", { status: response.status })
      : [error.message, error.hint].filter(Boolean).join(" ");
  const requestId = error?.requestId ?? response.headers.get("x-request-id") ?? undefined;
  return new Failure(message, response.status, requestId, error === undefined ? undefined : "en", error?.code);
}

/** A request to this service with the reader's key. **Errors** `Failure`, `AbortError`. */
export async function call(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...options,
      headers: { ...(options.headers as Record<string, string>), ...keyHeaders() },
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new Failure(t("networkDown"), 0);
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

type Query = Readonly<Record<string, string | number | undefined>>;

export async function get<Value>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Value> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string | number][];
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const response = await call(search.size === 0 ? path : `${path}?${search}`, { signal: signal ?? null });
  return (await response.json()) as Value;
}

let begun: { readonly name: string; readonly answer: Promise<unknown> } | undefined;
const nameOf = (path: string, query: object): string => JSON.stringify([path, query]);

/** Begins a request whose answer a part of the page will want that is still being loaded. */
export function begin(path: string, query: Query): void {
  const answer = get(path, query);
  answer.catch(() => {});
  begun = { name: nameOf(path, query), answer };
}

/** As `get`: the answer to a request that was begun, once, else anew. **Errors** `Failure`. */
export function getBegun<Value>(path: string, query: Query, signal: AbortSignal): Promise<Value> {
  const early = begun;
  begun = undefined;
  return early?.name === nameOf(path, query) ? (early.answer as Promise<Value>) : get<Value>(path, query, signal);
}

export async function send<Value>(
  path: string,
  body: unknown,
  { method = "POST", signal }: { method?: string; signal?: AbortSignal } = {},
): Promise<Value> {
  const response = await call(path, {
    method,
    signal: signal ?? null,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Value;
}

/** Server-sent events of a GET, or with a body of a POST. `EventSource` cannot post or send a key, and asks again by itself. */
export async function* events(
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly type: string; readonly data: unknown; readonly requestId: string | undefined }> {
  const headers = { accept: "text/event-stream" };
  const sent =
    body === undefined
      ? { headers }
      : { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await call(path, { ...sent, signal: signal ?? null });
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if ((error as Error).name === "AbortError") throw error;
      throw new Failure(t("brokenStream"), 0, requestId);
    }
    if (part.done) return;
    const whole = (rest + part.value).split("\n\n");
    rest = whole.pop()!;
    for (const event of whole) {
      const [, type, data] = /^(?:id: [^\n]*\n)?event: (.*)\ndata: (.*)$/su.exec(event) ?? [];
      if (type !== undefined) yield { type, data: JSON.parse(data!), requestId };
    }
  }
}

export async function openSession(): Promise<void> {
  const opened = await get<Session>("session");
  if (opened.name !== session.peek()?.name) openPlace.value = undefined;
  session.value = opened;
  hasLogin.value = opened.login;
  locked.value = undefined;
}

/** Forgets the caller; a session of a login is ended first, else a reload would open it again. */
export async function closeSession(): Promise<void> {
  try {
    if (hasLogin.peek()) await call("logout", { method: "POST" });
  } catch (error) {
    announced.value = (error as Failure).message;
    return;
  }
  setKey(undefined);
  session.value = undefined;
  openPlace.value = undefined;
  locked.value = "missing";
}

export const keptKey = readKept;
