import type { Random } from "../../src/testing/random.ts";
import { pdf } from "./languages.ts";
import { mutateTokens } from "./mutate-tokens.ts";

/** A PDF whose objects were changed and whose cross-reference table is right again, so that what reads them gets that far. */
export function mutatePdf(file: Uint8Array, random: Random): Uint8Array {
  const source = new TextDecoder("latin1").decode(file);
  const objects = Array.from(source.matchAll(/\n\d+ 0 obj\n([\s\S]*?)\nendobj/gu), ([, body = ""]) => body);
  const [, trailer = ""] = /trailer\n(<<[\s\S]*>>)\nstartxref/u.exec(source) ?? [];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(objects.length);
    objects[at] = mutateTokens(objects[at] ?? "", pdf, random);
  }
  if (random.below(10) === 0) objects.splice(random.below(objects.length), 1);
  const endOfFile = random.below(10) === 0 ? mutateTokens(trailer, pdf, random) : trailer;

  let out = "%PDF-1.4\n";
  const offsets = objects.map((body, index) => {
    const offset = out.length;
    // Lengths are put right half of the time; the other half tries how a reader gets by.
    const fixed = random.below(2) === 0 ? withLength(body) : body;
    out += `${index + 1} 0 obj\n${fixed}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const xref = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n${endOfFile}\nstartxref\n${xref}\n%%EOF\n`;
  return Uint8Array.from(out, (sign) => sign.charCodeAt(0) & 0xff);
}

function withLength(body: string): string {
  const [, content] = /stream\n([\s\S]*)\nendstream/u.exec(body) ?? [];
  return content === undefined ? body : body.replace(/\/Length \d+/u, `/Length ${content.length}`);
}
