import PostalMime, { type Email } from "postal-mime";

import { decodeUtf7 } from "../../text/charsets/decode-utf7.ts";
import { findCharset } from "../text/find-charset.ts";

/** A message as its parser gives it. */
export interface ParsedMessage {
  readonly email: Email;
  /** The encoding that its words show, where it declares none or a wrong one. */
  readonly encoding?: string;
}

/** Messages within messages are attachments like others: their reader is asked, and the depth of parts within parts holds. */
const options = { forceRfc822Attachments: true, maxRfc822NestingDepth: 0 } as const;

/**
 * Parses a message. Where its words come out broken, because it declares no encoding or a wrong one, it is read in the one that its bytes show.
 *
 * **Cost** linear; a broken message is parsed up to four times.
 */
export async function parseMessage(bytes: Uint8Array): Promise<ParsedMessage> {
  const email = decodeDeclared(await PostalMime.parse(bytes, options), bytes);
  const broken = countBroken(email);
  if (broken === 0) return { email };
  const better = (await readUnwrapped(bytes)) ?? (await readEncoded(bytes));
  if (better === undefined || countBroken(better.email) >= broken) return { email };
  // Attachments belong to their readers.
  return { ...better, email: { ...better.email, attachments: email.attachments } };
}

function countBroken({ subject, text, html }: Email): number {
  return [subject, text, html].reduce((sum, value) => sum + (value?.split("\uFFFD").length ?? 1) - 1, 0);
}

/** UTF-7, which the Encoding Standard leaves out. **Source** RFC 2152; labels by IANA. */
function decodeDeclared(email: Email, bytes: Uint8Array): Email {
  const { text, html } = email;
  if (!/charset\s*=\s*"?(?:unicode-1-1-)?utf-7\b/iu.test(new TextDecoder("latin1").decode(bytes))) return email;
  return {
    ...email,
    ...(text !== undefined && { text: decodeUtf7(text) }),
    ...(html !== undefined && { html: decodeUtf7(html) }),
  };
}

/** The message in the encoding of its bytes as they are: base64 and quoted-printable are ASCII, and stay. */
async function readUnwrapped(bytes: Uint8Array): Promise<ParsedMessage | undefined> {
  const found = await findCharset(bytes);
  if (found === undefined) return undefined;
  const recoded = new TextEncoder().encode(new TextDecoder(found.charset).decode(bytes));
  return { email: await PostalMime.parse(recoded, options), encoding: found.charset };
}

/** The message in the encoding of what its transfer encoding wraps: what a page declares inside, else what the words show. */
async function readEncoded(bytes: Uint8Array): Promise<ParsedMessage | undefined> {
  const { html, text } = await PostalMime.parse(declareCharset(bytes, "windows-1252"), options);
  const found = await findCharset(toBytes(html ?? text ?? ""));
  if (found === undefined) return undefined;
  return { email: await PostalMime.parse(declareCharset(bytes, found.charset), options), encoding: found.charset };
}

/** The message with an encoding declared for each text that has none, or that says ASCII or UTF-8. */
function declareCharset(bytes: Uint8Array, charset: string): Uint8Array {
  // A sign for each byte, so that places are the same.
  const text = new TextDecoder("latin1").decode(bytes);
  const header = /^content-type:[ \t]*text\/(?:plain|html)\b[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gimu;
  const parts: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let reached = 0;
  for (const { 0: found, index } of text.matchAll(header)) {
    const stated = /;\s*charset\s*=\s*"?([\w.:-]*)"?/iu.exec(found);
    if (stated !== null && !/^(?:|us-ascii|ascii|utf-?8)$/iu.test(stated[1]!)) continue;
    const [from, to] = stated === null ? [found.length, found.length] : [stated.index, stated.index + stated[0].length];
    parts.push(bytes.subarray(reached, index + from), encoder.encode(`; charset=${charset}`));
    reached = index + to;
  }
  if (parts.length === 0) parts.push(encoder.encode(`Content-Type: text/plain; charset=${charset}\r\n`));
  parts.push(bytes.subarray(reached));
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes that were read as Windows-1252, in which each has its sign. */
function toBytes(text: string): Uint8Array {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const byteOf = new Map(Array.from(new TextDecoder("windows-1252").decode(all), (sign, byte) => [sign, byte]));
  return Uint8Array.from(text, (sign) => byteOf.get(sign) ?? 0x3f);
}
