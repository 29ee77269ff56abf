import type { Message, MessagePerson } from "./msg-message.ts";

/** Writes a message of Outlook as internet mail, attached messages too. **Source** RFC 5322, 2045 to 2047. */
export function writeMime(message: Message): Uint8Array {
  return new TextEncoder().encode(mimeOf(message, 0));
}

/** The boundary of each level differs, so that an attached message ends where it should. Base64 has no `=_`. */
function mimeOf(message: Message, level: number): string {
  const { from, to, cc, subject, date, messageId, inReplyTo, text, html, rtf, attachments } = message;
  const boundary = `=_ibid_${level}`;
  const headers = [
    ...(from === undefined ? [] : [`From: ${people([from])}`]),
    ...(to.length === 0 ? [] : [`To: ${people(to)}`]),
    ...(cc.length === 0 ? [] : [`Cc: ${people(cc)}`]),
    ...(subject === "" ? [] : [`Subject: ${word(subject)}`]),
    ...(date === undefined ? [] : [`Date: ${new Date(date).toUTCString().replace("GMT", "+0000")}`]),
    ...(messageId === "" ? [] : [`Message-ID: ${oneLine(messageId)}`]),
    ...(inReplyTo === "" ? [] : [`In-Reply-To: ${oneLine(inReplyTo)}`]),
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
  ];
  const bodies = [
    ...(text === "" ? [] : [part("text/plain; charset=utf-8", base64(new TextEncoder().encode(text)))]),
    ...(html === undefined ? [] : [part("text/html; charset=utf-8", base64(html))]),
  ];
  // Readers take one of several bodies, the last that they can show.
  const alternative = `${boundary}_body`;
  const body =
    bodies.length < 2
      ? bodies
      : [
          `Content-Type: multipart/alternative; boundary="${alternative}"\r\n\r\n${bodies.map((one) => `--${alternative}\r\n${one}`).join("\r\n")}\r\n--${alternative}--`,
        ];
  const rich =
    bodies.length === 0 && rtf !== undefined ? [attached("message.rtf", "application/rtf", "", base64(rtf))] : [];
  const isSigned = /^IPM\.Note\.SMIME\.MultipartSigned$/iu.test(message.kind);
  const files = attachments.map(({ name, mediaType, contentId, content }) => {
    if (!(content instanceof Uint8Array))
      return attached(name, "message/rfc822", contentId, mimeOf(content, level + 1), false);
    return attached(name, isSigned ? "message/rfc822" : mediaType, contentId, base64(content));
  });
  const parts = [...body, ...rich, ...files].map((one) => `--${boundary}\r\n${one}`);
  return `${headers.join("\r\n")}\r\n\r\n${parts.join("\r\n")}\r\n--${boundary}--\r\n`;
}

function part(type: string, content: string): string {
  return `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}`;
}

function attached(name: string, mediaType: string, contentId: string, content: string, isEncoded = true): string {
  const type = /^[\w.+-]+\/[\w.+-]+$/u.test(mediaType) ? mediaType : "application/octet-stream";
  const id = contentId === "" ? "" : `Content-ID: <${oneLine(contentId)}>\r\n`;
  return [
    `Content-Type: ${type}`,
    `Content-Disposition: ${contentId === "" ? "attachment" : "inline"}; filename*=utf-8''${encodeURIComponent(name.toWellFormed())}`,
    `${id}Content-Transfer-Encoding: ${isEncoded ? "base64" : "8bit"}\r\n\r\n${content}`,
  ].join("\r\n");
}

function people(list: readonly MessagePerson[]): string {
  return list
    .map(({ name, address }) => {
      const at = oneLine(address).replace(/[<>,;]/gu, "");
      return name === "" || name === address ? `<${at}>` : at === "" ? `${word(name)}:;` : `${word(name)} <${at}>`;
    })
    .join(", ");
}

/** A text of a header, in its encoded form. */
function word(text: string): string {
  return `=?utf-8?B?${base64(new TextEncoder().encode(oneLine(text).toWellFormed()), false)}?=`;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

const lineLength = 76;

function base64(bytes: Uint8Array, inLines = true): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return inLines ? text.replace(new RegExp(`.{${lineLength}}`, "gu"), "$&\r\n") : text;
}
