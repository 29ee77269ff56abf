import type { Storage } from "./compound-file.ts";
import { decompressRtf } from "./decompress-rtf.ts";
import { decodePage, fileTime } from "./property-set.ts";

/** A person of a message: a name, an address, or both. */
export interface MessagePerson {
  readonly name: string;
  readonly address: string;
}

/** An attachment: bytes, or a message. */
export interface MessageAttachment {
  readonly name: string;
  readonly mediaType: string;
  readonly contentId: string;
  readonly content: Uint8Array | Message;
}

/** A message as Outlook keeps it. */
export interface Message {
  /** Its class, such as `IPM.Note`. */
  readonly kind: string;
  readonly subject: string;
  readonly from: MessagePerson | undefined;
  readonly to: readonly MessagePerson[];
  readonly cc: readonly MessagePerson[];
  /** ISO 8601. */
  readonly date: string | undefined;
  readonly messageId: string;
  readonly inReplyTo: string;
  readonly text: string;
  readonly html: Uint8Array | undefined;
  readonly rtf: Uint8Array | undefined;
  readonly attachments: readonly MessageAttachment[];
}

/** Properties by their identifier. **Source** MS-OXPROPS. */
const property = {
  messageClass: 0x001a,
  subject: 0x0037,
  submitted: 0x0039,
  delivered: 0x0e06,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  senderSmtp: 0x5d01,
  authorName: 0x0042,
  authorAddress: 0x0065,
  authorSmtp: 0x5d02,
  text: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  messageId: 0x1035,
  inReplyTo: 0x1042,
  messageCodePage: 0x3ffd,
  internetCodePage: 0x3fde,
  recipientType: 0x0c15,
  name: 0x3001,
  address: 0x3003,
  smtp: 0x39fe,
  data: 0x3701,
  shortName: 0x3704,
  longName: 0x3707,
  mediaType: 0x370e,
  contentId: 0x3712,
} as const;

type Property = keyof typeof property;

/** Messages within messages; a file that nests deeper keeps the rest to itself. */
const maxDepth = 8;

/** Reads a message. **Errors** `unreadable` for a broken file. **Source** MS-OXMSG, 2. */
export function readMessage(storage: Storage, depth = 0): Message {
  // The list of a message begins after 32 bytes, or 24 in one that is attached.
  const at = propertiesOf(storage, depth === 0 ? 32 : 24, 1252);
  const recipients = children(storage, "__recip_version1.0_").map((child) => {
    const own = propertiesOf(child, 8, at.page);
    return { kind: own.number("recipientType") ?? 1, person: personOf(own, "name", "address", "smtp") };
  });
  const author = personOf(at, "authorName", "authorAddress", "authorSmtp");
  const sender = personOf(at, "senderName", "senderAddress", "senderSmtp");
  const rtf = at.bytes("rtf");
  return {
    kind: at.text("messageClass"),
    subject: at.text("subject"),
    from: isSomebody(author) ? author : isSomebody(sender) ? sender : undefined,
    to: recipients.flatMap(({ kind, person }) => (kind === 1 && isSomebody(person) ? [person] : [])),
    cc: recipients.flatMap(({ kind, person }) => (kind === 2 && isSomebody(person) ? [person] : [])),
    date: at.time("submitted") ?? at.time("delivered"),
    messageId: at.text("messageId"),
    inReplyTo: at.text("inReplyTo"),
    text: at.text("text"),
    html: htmlOf(at),
    rtf: rtf && decompressRtf(rtf),
    attachments: children(storage, "__attach_version1.0_").flatMap((child, index) =>
      attachmentOf(child, index, at.page, depth),
    ),
  };
}

function attachmentOf(child: Storage, index: number, page: number, depth: number): MessageAttachment[] {
  const own = propertiesOf(child, 8, page);
  const embedded = child.storage("__substg1.0_3701000D");
  const isMessage = embedded?.names.includes("__properties_version1.0") === true;
  const content = isMessage && depth < maxDepth ? readMessage(embedded, depth + 1) : own.bytes("data");
  if (content === undefined) return [];
  const given = own.text("longName") || own.text("shortName") || own.text("name");
  return [
    {
      name: given || (isMessage ? `message ${index + 1}.eml` : `attachment ${index + 1}`),
      mediaType: isMessage ? "message/rfc822" : own.text("mediaType"),
      contentId: own.text("contentId"),
      content,
    },
  ];
}

interface Properties {
  /** Code page of texts that are not UTF-16. */
  readonly page: number;
  text(name: Property): string;
  bytes(name: Property): Uint8Array | undefined;
  number(name: Property): number | undefined;
  time(name: Property): string | undefined;
}

/** Properties of a storage: short ones in a list, long ones in streams of their own. **Source** MS-OXMSG, 2.1 and 2.4. */
function propertiesOf(storage: Storage, from: number, usualPage: number): Properties {
  const fixed = storage.stream("__properties_version1.0") ?? new Uint8Array();
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength);
  const offsets = new Map<number, number>();
  for (let at = from; at + 16 <= fixed.length; at += 16) offsets.set(view.getUint16(at + 2, true), at + 8);
  const number = (name: Property): number | undefined => {
    const at = offsets.get(property[name]);
    return at === undefined ? undefined : view.getUint32(at, true);
  };
  const page = number("internetCodePage") ?? number("messageCodePage") ?? usualPage;
  const stream = (name: Property, type: string): Uint8Array | undefined =>
    storage.stream(`__substg1.0_${property[name].toString(16).padStart(4, "0").toUpperCase()}${type}`);
  return {
    page,
    number,
    text(name) {
      const wide = stream(name, "001F");
      if (wide !== undefined) return new TextDecoder("utf-16le").decode(wide).replace(/\0+$/u, "");
      const narrow = stream(name, "001E");
      return narrow === undefined ? "" : decodePage(narrow, number("messageCodePage") ?? page).replace(/\0+$/u, "");
    },
    bytes: (name) => stream(name, "0102"),
    time(name) {
      const at = offsets.get(property[name]);
      return at === undefined ? undefined : fileTime(view.getBigUint64(at, true));
    },
  };
}

/** HTML is bytes in its own code page, or a text. */
function htmlOf(properties: Properties): Uint8Array | undefined {
  const bytes = properties.bytes("html");
  const text = bytes === undefined ? properties.text("html") : decodePage(bytes, properties.page);
  return text === "" ? undefined : new TextEncoder().encode(text);
}

/** An address of Exchange (`/O=…`) is none that a person knows. */
function personOf(properties: Properties, name: Property, address: Property, smtp: Property): MessagePerson {
  const usual = properties.text(address);
  return { name: properties.text(name), address: properties.text(smtp) || (usual.includes("@") ? usual : "") };
}

function isSomebody({ name, address }: MessagePerson): boolean {
  return name !== "" || address !== "";
}

function children(storage: Storage, prefix: string): Storage[] {
  const names = storage.names.filter((name) => name.startsWith(prefix)).toSorted();
  return names.flatMap((name) => storage.storage(name) ?? []);
}
