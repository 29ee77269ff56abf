/**
 * A small assembler for the part of WebAssembly's text format that the kernels use. A module has one memory, exported
 * or imported, and exported functions of flat instructions.
 *
 * **Errors** an `Error` for every unknown form. **Source** WebAssembly core specification, 5 (binary format) and 6
 * (text format).
 */
export function assembleWat(source: string): Uint8Array {
  const [module] = parse(source);
  if (!Array.isArray(module) || module[0] !== "module") throw new Error("A source is one (module …).");
  const types: number[][] = [];
  const functions: number[][] = [];
  const exports: number[][] = [];
  const bodies: number[][] = [];
  let memory: number[] = [];
  let imported: number[] = [];
  for (const field of module.slice(1)) {
    if (!Array.isArray(field)) throw new Error(`Out of place: ${field}`);
    if (field[0] === "import") {
      const [, from, what, described] = field;
      if (!Array.isArray(described) || described[0] !== "memory") throw new Error("Only a memory is imported.");
      imported = list([[...name(unquote(from)), ...name(unquote(what)), 2, 0, ...unsigned(Number(described.at(-1)))]]);
      continue;
    }
    if (field[0] === "memory") {
      exports.push([...name(exportOf(field)), 2, 0]);
      memory = [1, 0, ...unsigned(Number(field.at(-1)))];
      continue;
    }
    if (field[0] !== "func") throw new Error(`Unknown field: ${String(field[0])}`);
    const { params, results, locals, labels, code } = readFunction(field);
    exports.push([...name(exportOf(field)), 0, ...unsigned(types.length)]);
    functions.push(unsigned(types.length));
    types.push([0x60, ...list(params.map((type) => [type])), ...list(results.map((type) => [type]))]);
    const declared = list(locals.map((type) => [1, type]));
    const body = [...declared, ...encode(code, labels), 0x0b];
    bodies.push([...unsigned(body.length), ...body]);
  }
  return Uint8Array.from([
    ...header,
    ...section(1, list(types)),
    ...(imported.length > 0 ? section(2, imported) : []),
    ...section(3, list(functions)),
    ...(memory.length > 0 ? section(5, memory) : []),
    ...section(7, list(exports)),
    ...section(10, list(bodies)),
  ]);
}

/** The magic number and the version, 5.5.16. */
const header = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

type Expression = string | Expression[];

function parse(source: string): Expression[] {
  const tokens = source.replaceAll(/;;.*/gu, "").match(/"[^"]*"|[()]|[^\s()"]+/gu) ?? [];
  const stack: Expression[][] = [[]];
  for (const token of tokens) {
    if (token === "(") stack.push([]);
    else if (token === ")") {
      const closed = stack.pop();
      if (closed === undefined || stack.length === 0) throw new Error("A parenthesis too many.");
      stack.at(-1)!.push(closed);
    } else stack.at(-1)!.push(token);
  }
  if (stack.length !== 1) throw new Error("A parenthesis is missing.");
  return stack[0]!;
}

function exportOf(field: readonly Expression[]): string {
  const found = field.find((each) => Array.isArray(each) && each[0] === "export");
  if (!Array.isArray(found)) throw new Error("Everything is exported.");
  return unquote(found[1]);
}

function unquote(quoted: Expression | undefined): string {
  return String(quoted).slice(1, -1);
}

/** Value types, 5.3. */
const valueTypes: Readonly<Record<string, number>> = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b };

function readFunction(field: readonly Expression[]): {
  params: number[];
  results: number[];
  locals: number[];
  labels: Map<string, number>;
  code: string[];
} {
  const params: number[] = [];
  const results: number[] = [];
  const locals: number[] = [];
  const labels = new Map<string, number>();
  const code: string[] = [];
  for (const each of field.slice(1)) {
    if (typeof each === "string") {
      code.push(each);
      continue;
    }
    const [kind, ...words] = each.map(String);
    if (kind === "export") continue;
    const type = words.pop() ?? "nothing";
    const value = valueTypes[type];
    if (value === undefined) throw new Error(`Unknown type: ${type}`);
    if (kind === "result") {
      results.push(value);
      continue;
    }
    if (kind !== "param" && kind !== "local") throw new Error(`Unknown part of a function: ${String(kind)}`);
    labels.set(words.join(" "), labels.size);
    (kind === "param" ? params : locals).push(value);
  }
  return { params, results, locals, labels, code };
}

/** Opcodes, 5.4; the number of vector instructions follows 0xfd. Immediate operands stand beside each. */
const instructions: Readonly<Record<string, { readonly code: readonly number[]; readonly takes?: Immediate }>> = {
  block: { code: [0x02, 0x40], takes: "label" },
  loop: { code: [0x03, 0x40], takes: "label" },
  end: { code: [0x0b] },
  br: { code: [0x0c], takes: "target" },
  br_if: { code: [0x0d], takes: "target" },
  "local.get": { code: [0x20], takes: "local" },
  "local.set": { code: [0x21], takes: "local" },
  "local.tee": { code: [0x22], takes: "local" },
  "i32.load": { code: [0x28, 2], takes: "offset" },
  "i32.load8_u": { code: [0x2d, 0], takes: "offset" },
  "i32.load16_u": { code: [0x2f, 1], takes: "offset" },
  "i32.store": { code: [0x36, 2], takes: "offset" },
  "f32.load": { code: [0x2a, 2], takes: "offset" },
  "f32.store": { code: [0x38, 2], takes: "offset" },
  "f64.load": { code: [0x2b, 3], takes: "offset" },
  "f64.store": { code: [0x39, 3], takes: "offset" },
  "i32.const": { code: [0x41], takes: "number" },
  "i32.eqz": { code: [0x45] },
  "i32.lt_u": { code: [0x49] },
  "i32.ge_u": { code: [0x4f] },
  "i32.add": { code: [0x6a] },
  "i32.sub": { code: [0x6b] },
  "i32.mul": { code: [0x6c] },
  "i32.and": { code: [0x71] },
  "i32.or": { code: [0x72] },
  "i32.shl": { code: [0x74] },
  "i32.shr_u": { code: [0x76] },
  "f32.add": { code: [0x92] },
  "f32.mul": { code: [0x94] },
  "f32.convert_i32_u": { code: [0xb3] },
  "f64.convert_i32_u": { code: [0xb8] },
  "f64.floor": { code: [0x9c] },
  "f64.add": { code: [0xa0] },
  "f64.sub": { code: [0xa1] },
  "f64.mul": { code: [0xa2] },
  "f64.ge": { code: [0x66] },
  "v128.load": { code: vector(0, 0), takes: "offset" },
  "v128.store": { code: vector(11, 0), takes: "offset" },
  "v128.load8x8_s": { code: vector(1, 0), takes: "offset" },
  "v128.load64_splat": { code: vector(10, 0), takes: "offset" },
  "v128.load64_zero": { code: vector(93, 0), takes: "offset" },
  "v128.const": { code: vector(12), takes: "zero" },
  "i8x16.shuffle": { code: vector(13), takes: "lanes" },
  "i16x8.splat": { code: vector(16) },
  "i16x8.extadd_pairwise_i8x16_s": { code: vector(124) },
  "i16x8.relaxed_dot_i8x16_i7x16_s": { code: vector(274) },
  "i32x4.extend_low_i16x8_s": { code: vector(167) },
  "i32x4.extend_high_i16x8_s": { code: vector(168) },
  "i32x4.extract_lane": { code: vector(27), takes: "number" },
  "f32x4.splat": { code: vector(19) },
  "f32x4.ge": { code: vector(70) },
  "i32x4.bitmask": { code: vector(164) },
  "f64x2.splat": { code: vector(20) },
  "f64x2.extract_lane": { code: vector(33), takes: "number" },
  "f64x2.ge": { code: vector(76) },
  "f32x4.demote_f64x2_zero": { code: vector(94) },
  "f64x2.promote_low_f32x4": { code: vector(95) },
  "i64x2.bitmask": { code: vector(196) },
  "f64x2.add": { code: vector(240) },
  "f64x2.sub": { code: vector(241) },
  "f64x2.mul": { code: vector(242) },
  "f64x2.convert_low_i32x4_s": { code: vector(254) },
  "i32x4.shl": { code: vector(171) },
  "i32x4.sub": { code: vector(177) },
  "i32x4.add": { code: vector(174) },
  "i32x4.dot_i16x8_s": { code: vector(186) },
};

type Immediate = "label" | "target" | "local" | "offset" | "number" | "zero" | "lanes";

function vector(number: number, ...more: number[]): number[] {
  return [0xfd, ...unsigned(number), ...more];
}

function encode(code: readonly string[], locals: ReadonlyMap<string, number>): number[] {
  const bytes: number[] = [];
  const blocks: string[] = [];
  for (let at = 0; at < code.length;) {
    const word = code[at++]!;
    const instruction = instructions[word];
    if (instruction === undefined) throw new Error(`Unknown instruction: ${word}`);
    bytes.push(...instruction.code);
    switch (instruction.takes) {
      case undefined:
        if (word === "end") blocks.pop();
        break;
      case "label":
        blocks.push(code[at++]!);
        break;
      case "target": {
        const label = code[at++]!;
        if (!blocks.includes(label)) throw new Error(`Unknown label: ${label}`);
        bytes.push(...unsigned(blocks.length - 1 - blocks.lastIndexOf(label)));
        break;
      }
      case "local": {
        const local = locals.get(code[at]!);
        if (local === undefined) throw new Error(`Unknown local: ${code[at]!}`);
        bytes.push(...unsigned(local));
        at++;
        break;
      }
      case "offset": {
        const offset = /^offset=(\d+)$/u.exec(code[at] ?? "");
        if (offset !== null) at++;
        bytes.push(...unsigned(Number(offset?.[1] ?? 0)));
        break;
      }
      case "number":
        bytes.push(...signed(Number(code[at++])));
        break;
      case "zero":
        // Only `i64x2 0 0` is needed.
        at += 3;
        bytes.push(...Array.from({ length: 16 }, () => 0));
        break;
      case "lanes":
        bytes.push(...code.slice(at, at + 16).map(Number));
        at += 16;
        break;
    }
  }
  if (blocks.length > 0) throw new Error(`Not ended: ${blocks.join(" ")}`);
  return bytes;
}

/** LEB128, 5.2.2. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

function name(text: string): number[] {
  return list([...new TextEncoder().encode(text)].map((byte) => [byte]));
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}
