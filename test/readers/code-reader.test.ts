import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createCodeReader } from "../../src/readers/code/code-reader.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import type { Section } from "../../src/contracts/document.ts";
import { walkSections } from "../../src/text/walk-sections.ts";
import { locate } from "../../src/text/locate.ts";

import { readAny } from "./read-any.ts";
import { refusalOf, showOutline, textOutsideBlocks } from "./read-with.ts";

/** Each section as `# title first-last`, in lines. */
function showLines(text: string, root: Section): string[] {
  const line = (at: number): number => text.slice(0, at).split("\n").length;
  return [...walkSections(root)]
    .slice(1)
    .map(({ level, title, start, end }) => `${"#".repeat(level)} ${title} ${line(start)}-${line(end)}`);
}

const typescript = `// The header of the file.

import a from "a";

const small = 1;

/** What it is for. */
@decorated()
export class Parser<T> extends Reader {
  static limit = 1;

  // What comes before.
  @bound() parse(text: string): void {
    function inner() {}
  } // after it
  peek = (n = 1) => n;
  private readonly table = {
    a: 1,
  };
}

export const settings = {
  on: true,
};
const twice = (n: number) => n * 2;
export interface Shape {
  side: number;
}
type Two = 2;
enum Kind { A }
namespace Inner.Space {
  export function deep(first: string, second: string, third: string, fourth: string) {}
}
export default function () {}
run();
`;

describe("the code reader", () => {
  it("makes a section of each definition, from its comment to its last line [E2 E8 E15]", async () => {
    const { text, root, metadata, title, sourceMap } = await readAny("src/parser.ts", typescript);
    expect(text).toBe(typescript);
    expect([title, metadata, sourceMap]).toEqual([
      "parser.ts",
      { programmingLanguage: "typescript" },
      { lines: "text" },
    ]);
    expect(showLines(text, root)).toEqual([
      "# class Parser 7-20",
      "## parse(text: string) 12-15",
      "## peek(n = 1) 16-16",
      "## table 17-19",
      "# const settings 22-24",
      "# twice(n: number) 25-25",
      "# interface Shape 26-28",
      "# type Two 29-29",
      "# enum Kind 30-30",
      "# namespace Inner.Space 31-33",
      "## deep(…) 32-32",
      "# default() 34-34",
    ]);
    const call = text.indexOf("run();");
    expect(locate({ text, root, sourceMap }, call, call + 3)).toEqual({ line: 35, headings: [], sectionId: "0" });
    const inner = text.indexOf("inner");
    expect(locate({ text, root, sourceMap }, inner)).toMatchObject({
      line: 14,
      headings: ["class Parser", "parse(text: string)"],
    });
  });

  it("cuts between definitions, and within one between lines", async () => {
    const methods = Array.from({ length: 30 }, (_, i) => `  m${i}() {\n    return ${i};\n  }\n`).join("\n");
    const long = `function long() {\n${"  step();\n".repeat(100)}}\n`;
    const { text, root, blocks, sourceMap } = await readAny("a.js", `class A {\n${methods}}\n\n${long}`);
    expect(textOutsideBlocks({ text, ...(blocks && { blocks }) })).toBe("");
    const document = {
      type: "text",
      id: "d",
      uri: "a.js",
      title: "a.js",
      mediaType: "text/javascript",
      origin: "user-content",
    } as const;
    const chunks = [
      ...createSectionChunker({ maxSize: 300, overlap: 0 }).chunk({
        ...document,
        text,
        root,
        sourceMap,
        blocks: blocks ?? [],
        metadata: {},
      }),
    ];
    expect(chunks.length).toBeGreaterThan(6);
    for (const { start, end, urtext } of chunks) {
      expect(text.slice(start, end)).toBe(urtext);
      // Nothing but indentation before it on its first line, nothing after it on its last.
      expect(text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim()).toBe("");
      expect(text.charAt(end)).toBe("\n");
      expect(urtext).toMatch(/^(?:class A|m\d+\(\)|function long|step\(\);)/);
    }
  });

  it("names tests by what they say", async () => {
    const { root } = await readAny(
      "a.test.ts",
      `describe("a parser", () => {\n  const on = {\n  };\n  it("parses", async () => {\n    const x = {\n    };\n  });\n});\nrun("x", 1);\n`,
    );
    expect(showOutline(root)).toEqual(['# describe("a parser")', "## const on", '## it("parses")']);
  });

  const samples: Readonly<Record<string, readonly [source: string, outline: readonly string[]]>> = {
    "a.tsx": ["export function View() {\n  return <p>{x as any}</p>;\n}\nclass A<T> {}\n", ["# View()", "# class A"]],
    "a.jsx": [
      "const View = ({ a }) => <p>{a}</p>;\nexports.run = function (b) {};\n",
      ["# View({ a })", "# exports.run(b)"],
    ],
    "a.py": [
      `"""Doc."""\nX = 1\nTABLE = {\n  1: 2,\n}\n\n# Before.\n@dec\nclass A(B):\n    """d"""\n    @property\n    def f(self, a=1):\n        def inner(): pass\n\nasync def g(): pass\nif True:\n    def h(): pass\n`,
      ["# TABLE", "# class A", "## f(self, a=1)", "# g()", "# h()"],
    ],
    "A.java": [
      "package a;\n\n/** Doc. */\n@X public class A<T> extends B {\n  int f;\n  /** Why. */\n  int g;\n  A(int x) {}\n  @Override\n  <R> R m(String a, int... b) { return null; }\n  enum K {\n    A;\n    void q() {}\n  }\n}\nrecord R(int x) {}\ninterface I {\n  void z();\n}\n",
      [
        "# class A",
        "## g",
        "## A(int x)",
        "## m(String a, int... b)",
        "## enum K",
        "### q()",
        "# record R",
        "# interface I",
        "## z()",
      ],
    ],
    "A.cs": [
      "using System;\nnamespace N.M\n{\n  /// <summary>x</summary>\n  [Attr]\n  public class C : D\n  {\n    public int P { get; set; }\n    int f = 1;\n    public C() {}\n    ~C() {}\n    public T M<T>(int a)\n    {\n    }\n    public static C operator +(C a, C b) => a;\n  }\n  struct S {}\n}\n",
      ["# namespace N.M", "## class C", "### C()", "### ~C()", "### M(int a)", "### operator +", "## struct S"],
    ],
    "a.go": [
      "package main\n\n// Doc.\ntype S struct {\n\ta int\n}\n\ntype (\n\tA int\n\tB interface{ M() }\n)\n\nconst (\n\tX = 1\n\tY = 2\n)\n\nfunc F(a int) error { return nil }\nfunc (s *S) M(b string) {}\nfunc (s S[T]) G() {}\n",
      ["# type S", "# type A", "# type B", "# const X …", "# F(a int)", "# S.M(b string)", "# S.G()"],
    ],
    "a.rs": [
      '//! Crate.\n\nuse std::fmt;\n\n/// Doc.\n#[derive(Debug)]\npub struct S<T> { a: T }\ntrait Tr {\n  fn a(&self);\n  fn b() {}\n}\nimpl<T> Tr for S<T> where T: Copy {\n  fn a(&self) {}\n}\nmod m {\n  fn q() {}\n}\nmacro_rules! mm { () => {} }\nextern "C" {\n  /// Doc.\n  fn ext();\n}\n',
      [
        "# struct S",
        "# trait Tr",
        "## b()",
        "# impl<T> Tr for S<T> where T: Copy",
        "## a(&self)",
        "# mod m",
        "## q()",
        "# macro mm",
        '# extern "C"',
        "## ext()",
      ],
    ],
    "a.c": [
      "#include <x.h>\n#define MAX(a, b) \\\n  ((a) > (b))\nstruct node {\n  int a;\n};\ntypedef struct {\n  int a;\n} T;\nstatic int *f(void)\n{\n  return 0;\n}\n#ifdef A\nvoid h(int a) {}\n#endif\nint g(int x);\n/* Doc. */\nint k(int x);\n",
      ["# #define MAX", "# struct node", "# T", "# f(void)", "# h(int a)", "# k(int x)"],
    ],
    "a.cpp": [
      "namespace a::b {\ntemplate <typename T>\nclass C : public D {\n public:\n  C() {}\n  int m(int a) const { return 1; }\n};\n}\nint C::m(int a) { return 1; }\nbool operator==(A a, B b) { return true; }\nenum class E { A };\nclass Later;\n",
      [
        "# namespace a::b",
        "## class C",
        "### C()",
        "### m(int a)",
        "# C::m(int a)",
        "# operator==(A a, B b)",
        "# enum E",
      ],
    ],
    "a.rb": [
      'require "x"\n# Doc.\nmodule A\n  class B < C\n    X = 1\n    def f(a, b = 1)\n    end\n    def self.g; end\n    class << self\n      def h; end\n    end\n  end\nend\ndescribe "a parser" do\n  it "parses" do\n    x\n  end\nend\n',
      [
        "# module A",
        "## class B",
        "### f(a, b = 1)",
        "### self.g()",
        "### class << self",
        "#### h()",
        '# describe "a parser"',
        '## it "parses"',
      ],
    ],
    "a.sh": ["#!/bin/sh\nset -e\n# Why.\nrun() {\n  x\n}\nfunction stop {\n  y\n}\nrun\n", ["# run()", "# stop()"]],
    "a.php": [
      "<?php\nnamespace A\\B;\n/** Doc. */\n#[Attr]\nfinal class C extends D {\n  const X = 1;\n  public function f(int $a): void {}\n}\ninterface I {\n  function q();\n}\nif (true) {\n  function top($a) {}\n}\n?>\n<h1>x</h1>\n",
      ["# class C", "## f(int $a)", "# interface I", "## q()", "# top($a)"],
    ],
  };
  it.each(Object.entries(samples))("reads %s", async (uri, [source, outline]) => {
    const { text, root, notes } = await readAny(uri, source);
    expect(text).toBe(source);
    expect(showOutline(root)).toEqual(outline);
    expect(notes).toBeUndefined();
  });

  it("reads what does not parse by what does", async () => {
    const { root } = await readAny(
      "a.py",
      "class A:\n    def f(self): pass\n\ndef broken(:\n  )(\n\ndef after(): pass\n",
    );
    expect(showOutline(root)).toEqual(expect.arrayContaining(["# class A", "## f(self)", "# after()"]));
  });

  it("makes no section of what shares a line with something else", async () => {
    const { root, blocks } = await readAny("a.js", "function a() {} function b() {}\nclass C { d() {} }\n");
    expect(showOutline(root)).toEqual(["# a()", "# class C"]);
    expect(blocks).toHaveLength(2);
  });

  it("leaves languages without a grammar to the plain text reader", async () => {
    const { metadata, root, notes } = await readAny("a.lua", "fun main() {}\n");
    expect([metadata, root.children, notes]).toEqual([{}, [], undefined]);
  });

  it("reads as plain text, and says so, what its parser cannot take", async () => {
    const long = await readAny("a.ts", "x".repeat(1024 * 1024 + 1));
    expect(long.notes).toEqual([expect.stringContaining("longer than 1,048,576 characters")]);
    // Each comma doubles the ways in which TypeScript might mean it: without a bound, gigabytes.
    const ambiguous = await readAny("a.ts", "a<b,".repeat(50_000));
    expect(ambiguous.notes).toEqual([expect.stringContaining("typescript parser gave it up")]);
    expect(ambiguous.blocks).toHaveLength(1);
    expect((await readAny("b.ts", "function still() {}\n")).root.children).toHaveLength(1);
  });

  const hostile: Readonly<Record<string, string>> = {
    "open.ts": "{".repeat(100_000),
    "close.ts": "}".repeat(100_000),
    "deep.java": "class A {\n".repeat(5000),
    "deep.py": Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}class A:\n`).join(""),
    "line.js": "a".repeat(1_000_000),
    "comments.rs": "/*".repeat(50_000),
    "conditions.c": "#if A\n".repeat(5000),
  };
  it.each(Object.entries(hostile))("survives %s", async (uri, source) => {
    expect((await readAny(uri, source)).text).toBe(source);
  });

  it("keeps tree and blocks whole for any mixture of lines", async () => {
    const lines = typescript.split("\n");
    const mixture = fc.array(fc.constantFrom(...lines, "}", "{", "/*", "*/", "\t", "`${", "é👍"), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(mixture, fc.constantFrom("a.ts", "a.py", "a.c", "a.rb", "a.php"), async (some, uri) => {
        const source = `x\n${some.join("\n")}`;
        const { text, blocks } = await readAny(uri, source);
        expect(text).toBe(source);
        expect(textOutsideBlocks({ text, ...(blocks && { blocks }) })).toBe("");
      }),
      { numRuns: 60 },
    );
  });

  it("stops when told", async () => {
    const refusal = await refusalOf(readAny("a.ts", "let a;", { signal: AbortSignal.abort() }));
    expect(refusal.code).toBe("aborted");
    expect(createCodeReader().accepts("text/x-lua")).toBe(false);
  });
});
