import { giveTurn } from "../../runtime/next-turn.ts";
import { encodingByBytes, findCharsetName } from "../../text/charsets/decode-text.ts";

/** Where the encoding of a text stands, or how it was found. */
export interface FoundCharset {
  /** As the Encoding Standard writes it. */
  readonly charset: string;
  /** Whether nobody declared it. */
  readonly detected: boolean;
}

/** As much of a text is searched for a declaration. **Source** HTML standard, 13.2.3.2 (prescan). */
const prescanBytes = 1024;

/**
 * The encoding of a text that is neither UTF-8 nor UTF-16 by its bytes: what it declares inside, else what its words show.
 *
 * **Shape** `undefined` where the bytes say it themselves, where a declaration contradicts them, and where nothing shows.
 * **Cost** decodes the bytes once; what detects is loaded at the first text that needs it.
 */
export async function findCharset(bytes: Uint8Array): Promise<FoundCharset | undefined> {
  if (encodingByBytes(bytes) !== undefined) return undefined;
  if (await isPlainUtf8(bytes)) return undefined;
  const declared = declaredCharset(bytes);
  if (declared !== undefined) return { charset: declared, detected: false };
  const { detectCharset } = await import("../../text/charsets/detect-charset.ts");
  const charset = detectCharset(bytes);
  return charset === undefined ? undefined : { charset, detected: true };
}

/**
 * The encoding that a text declares in its first 1,024 bytes: HTML's `meta`, XML's declaration, CSS's `@charset`, or Python's and Ruby's comment.
 *
 * **Shape** never a Unicode encoding: an ASCII declaration is not in UTF-16, and a false claim of UTF-8 has no use.
 * **Source** HTML standard, 13.2.3.2; XML 1.0, 4.3.3; CSS Syntax, 3.2; PEP 263.
 */
export function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, prescanBytes));
  const label =
    /^<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})/i.exec(head)?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})/i.exec(head)?.[1] ??
    /^@charset "([\w.:-]{2,40})";/.exec(head)?.[1] ??
    /^(?:[^\n]*\n)?[ \t\f]*#[^\n]{0,200}?coding[:=][ \t]*([\w.-]{2,40})/.exec(head)?.[1];
  const name = label === undefined ? undefined : findCharsetName(label);
  return name === undefined || name.startsWith("utf-") ? undefined : name;
}

/** Whether it is UTF-8 without an escape. Others have their turn on the way. */
async function isPlainUtf8(bytes: Uint8Array): Promise<boolean> {
  // In pieces, so that no copy of a long text is made only to look at it.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let at = 0; at < bytes.length; at += 65_536) {
    const turn = giveTurn();
    if (turn !== undefined) await turn;
    const piece = bytes.subarray(at, at + 65_536);
    if (!decodes(decoder, piece) || piece.includes(escape)) return false;
  }
  return decodes(decoder);
}

const escape = 0x1b;

function decodes(decoder: InstanceType<typeof TextDecoder>, piece?: Uint8Array): boolean {
  try {
    decoder.decode(piece, { stream: piece !== undefined });
    return true;
  } catch {
    return false;
  }
}
