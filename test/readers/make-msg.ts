import * as xlsx from "@e965/xlsx";

/** A message to write: texts of properties by identifier in hexadecimal, people, and attachments. */
export interface MsgTestMessage {
  readonly texts: Readonly<Record<string, string>>;
  /** Bytes of properties by identifier. */
  readonly bytes?: Readonly<Record<string, Uint8Array>>;
  /** When it was sent. */
  readonly sent?: Date;
  readonly to?: readonly { readonly name: string; readonly smtp: string; readonly type?: number }[];
  readonly attachments?: readonly { readonly name: string; readonly content: Uint8Array | MsgTestMessage }[];
}

interface Cfb {
  readonly utils: {
    readonly cfb_new: () => object;
    readonly cfb_add: (file: object, name: string, content: Uint8Array) => void;
  };
  readonly write: (file: object, options: { readonly type: "buffer" }) => Uint8Array;
}

/** A file of Outlook. **Source** MS-OXMSG 2. */
export function makeMsg(message: MsgTestMessage): Uint8Array {
  return makeCompound((add) => addMessage(add, "/", message, 32));
}

/** A compound file of the streams that `fill` adds. **Source** MS-CFB. */
export function makeCompound(fill: (add: (path: string, content: Uint8Array) => void) => void): Uint8Array {
  const { utils, write } = (xlsx as unknown as { readonly CFB: Cfb }).CFB;
  const file = utils.cfb_new();
  fill((path, content) => utils.cfb_add(file, path, content));
  return Uint8Array.from(write(file, { type: "buffer" }));
}

const wide = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "utf16le"));

function addMessage(
  add: (path: string, content: Uint8Array) => void,
  folder: string,
  { texts, bytes = {}, sent, to = [], attachments = [] }: MsgTestMessage,
  head: number,
): void {
  for (const [id, text] of Object.entries(texts)) add(`${folder}__substg1.0_${id}001F`, wide(text));
  for (const [id, content] of Object.entries(bytes)) add(`${folder}__substg1.0_${id}0102`, content);
  const list = Buffer.alloc(head + (sent === undefined ? 0 : 16));
  if (sent !== undefined) {
    list.writeUInt32LE(0x00390040, head);
    list.writeBigUInt64LE((BigInt(sent.getTime()) + 11_644_473_600_000n) * 10_000n, head + 8);
  }
  add(`${folder}__properties_version1.0`, list);
  for (const [index, { name, smtp, type = 1 }] of to.entries()) {
    const person = `${folder}__recip_version1.0_#0000000${index}/`;
    add(`${person}__substg1.0_3001001F`, wide(name));
    add(`${person}__substg1.0_39FE001F`, wide(smtp));
    const kind = Buffer.alloc(24);
    kind.writeUInt32LE(0x0c150003, 8);
    kind.writeUInt32LE(type, 16);
    add(`${person}__properties_version1.0`, kind);
  }
  for (const [index, { name, content }] of attachments.entries()) {
    const one = `${folder}__attach_version1.0_#0000000${index}/`;
    add(`${one}__substg1.0_3707001F`, wide(name));
    add(`${one}__properties_version1.0`, Buffer.alloc(8));
    if (content instanceof Uint8Array) add(`${one}__substg1.0_37010102`, content);
    else addMessage(add, `${one}__substg1.0_3701000D/`, content, 24);
  }
}
