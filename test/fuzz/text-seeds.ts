/** Small files of every text format, each with what its reader looks at. Written for the fuzz; nothing in them matters otherwise. */
export const plainTexts = [
  "The lighthouse keeper counts ships.\n\nOn the second day the sea is calm.\nNobody comes.\n\n\n  indented\n",
  "Ça coûte 12,50 € à l’entrée.\nМаяк виден за двадцать миль.\n灯台は遠くから見えます。\n",
  "one\rtwo\r\nthree\n\u2028four👍🏽\n",
];

/** Japanese in Shift JIS and western European in windows-1252, as bytes: `灯台は遠い`, `Ça coûte` and more. */
export const legacyTexts: readonly Uint8Array[] = [
  Uint8Array.from([
    0x93, 0x94, 0x91, 0xe4, 0x82, 0xcd, 0x89, 0x93, 0x82, 0xa2, 0x81, 0x42, 0x0a, 0x93, 0x94, 0x91, 0xe4, 0x82, 0xcd,
    0x89, 0x93, 0x82, 0xa2, 0x81, 0x42,
  ]),
  Uint8Array.from([
    0xc7, 0x61, 0x20, 0x63, 0x6f, 0xfb, 0x74, 0x65, 0x20, 0x31, 0x32, 0x80, 0x2e, 0x20, 0x93, 0x4f, 0x75, 0x69, 0x94,
    0x20, 0x64, 0xe9, 0x6a, 0xe0,
  ]),
  Uint8Array.from([0xff, 0xfe, 0x41, 0, 0xe9, 0, 0x3d, 0xd8, 0x4d, 0xdc, 0x0a, 0, 0x42, 0]),
  Uint8Array.from([0xfe, 0xff, 0, 0x41, 0, 0xe9, 0xd8, 0x3d, 0xdc, 0x4d, 0, 0x0a, 0, 0x42]),
  Uint8Array.from([0x1b, 0x24, 0x42, 0x45, 0x74, 0x42, 0x66, 0x1b, 0x28, 0x42, 0x0a]),
];

export const markdowns = [
  `---\ntitle: The guide\ntags: [a, b]\n---\n\n# Keys & locks\n\nTurn **the key**, see [the lock](lock.md).\n\n## Spare keys\n\n| who | where |\n| --- | :---: |\n| Ada | shelf |\n\n\`\`\`ts\nconst key = 1;\n\`\`\`\n\nSetext heading\n--------------\n\n- one\n  - two\n\n    more\n1. first\n\n> quoted\n> > twice\n\n<details><summary>Raw</summary>\n\nhtml *inside*\n\n</details>\n\n[ref]: http://x "t"\n`,
  `import Tabs from '@theme/Tabs'\nexport const a = {\n  b: 1,\n}\n\n# MDX\n\n<Tabs items={["a", "b"]}>\n\n## Inside\n\nText {props.name} and <b>bold</b>.\n\n</Tabs>\n\n{/* comment */}\n\n:::note\nAn admonition\n:::\n`,
];

export const pages = [
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Keys</title><script>var x = "<p>";</script><style>p{}</style></head><body><nav>Menu <a href="/">home</a></nav><main><h1>Keys &amp; locks</h1><p>Turn <b>the key</b>.</p><h2 id="s">Spare</h2><table><caption>c</caption><thead><tr><th>who</th><th colspan="2">where</th></tr></thead><tr><td rowspan="2">Ada</td><td>shelf</td></tr><tr><td>top</td></tr></table><pre><code class="language-ts">a  b\nc</code></pre><ul><li>one<ol><li>two</li></ol></li></ul><dl><dt>t</dt><dd>d</dd></dl><img alt="a key" src="k.png"><p hidden>no</p><blockquote>quote<br>line</blockquote></main><footer>foot</footer></body></html>`,
  `<h1>No doctype</h1><p>one<p>two<table><tr><td>a<td>b<tr><td>c</table><ruby>漢<rt>kan</rt></ruby>`,
];

export const tables = [
  'who,where,when\nAda,shelf,2024-01-01\n"Bob, B.","top ""shelf""",\n\nCarol,"two\nlines",3\n',
  "a;b;c\r\n1,5;2;3\r\n4;5\r\n6;7;8;9\r\n",
  "x\ty\n1\t2\n",
];

export const messages = [
  'From: =?utf-8?Q?Ad=C3=A1?= <ada@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: =?utf-8?B?S2V5cw==?= and locks\r\nDate: Mon, 1 Jan 2024 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=frontier\r\n\r\n--frontier\r\nContent-Type: multipart/alternative; boundary="inner"\r\n\r\n--inner\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nTurn the key=2E It=\r\n is on the shelf.\r\n--inner\r\nContent-Type: text/html\r\n\r\n<p>Turn <b>the key</b>.</p>\r\n--inner--\r\n--frontier\r\nContent-Type: text/csv; name="keys.csv"\r\nContent-Disposition: attachment; filename="keys.csv"\r\nContent-Transfer-Encoding: base64\r\n\r\nd2hvLHdoZXJlCkFkYSxzaGVsZgo=\r\n--frontier\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@example.org\r\nSubject: inner\r\n\r\nInner text.\r\n--frontier--\r\n',
  "From: a@example.org\nTo: b@example.org\nSubject: plain\nContent-Type: text/plain; charset=iso-8859-1\n\nJust text.\n\n> quoted\n-- \nsignature\n",
];

export const notebooks = [
  JSON.stringify({
    cells: [
      { cell_type: "markdown", metadata: {}, source: ["# Keys\n", "\n", "Turn *the key*."] },
      {
        cell_type: "code",
        execution_count: 1,
        metadata: {},
        source: "print('key')\n",
        outputs: [
          { output_type: "stream", name: "stdout", text: ["key\n"] },
          {
            output_type: "execute_result",
            data: { "text/plain": "1", "text/html": "<b>1</b>" },
            metadata: {},
            execution_count: 1,
          },
          { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mred"] },
        ],
      },
      { cell_type: "raw", metadata: {}, source: "raw" },
    ],
    metadata: { kernelspec: { name: "python3", language: "python" }, language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  }),
];

export const jsons = [
  JSON.stringify(
    { title: "Keys", list: [1, 2.5, null, true, { deep: { deeper: ["a", "b\n"] } }], "a b": "c" },
    null,
    2,
  ),
];
export const jsonLines = ['{"id":1,"text":"Turn the key."}\n{"id":2,"text":"Wait 👍"}\n\n{"id":3}\n'];
export const yamls = [
  "# Keys\ntitle: Keys & locks\nbase: &base\n  who: Ada\n  list:\n    - one\n    - {two: 2}\nmore:\n  <<: *base\n  text: |\n    several\n    lines\n---\nsecond: document\n",
];

export const feeds = [
  '<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Keys</title><link>https://example.org/</link><description>All about keys</description><language>en</language><item><title>First</title><link>https://example.org/1</link><pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate><description>&lt;p&gt;Turn &lt;b&gt;the key&lt;/b&gt;.&lt;/p&gt;</description><content:encoded><![CDATA[<p>More <i>text</i></p>]]></content:encoded></item><item><title>Second</title></item></channel></rss>',
  '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Keys</title><updated>2024-01-01T00:00:00Z</updated><entry><title type="html">&lt;b&gt;First&lt;/b&gt;</title><link href="https://example.org/1"/><summary>Sum</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Turn it.</p></div></content><author><name>Ada</name></author></entry></feed>',
];

/** A little of each language, by its file name. */
export const codes: Readonly<Record<string, string>> = {
  "a.ts":
    "/** Says what. */\nexport interface Key { readonly id: number }\nexport class Lock<T> {\n  #key = 1;\n  async open(key: Key): Promise<void> {\n    if (key.id === 1) { return; }\n  }\n}\nexport const f = (a: number) => `x${a}`;\n",
  "a.js":
    "// c\nfunction one(a, b) {\n  return a + b;\n}\nexport default class A { get x() { return 1; } }\nconst g = async () => {};\n",
  "a.py":
    '"""Doc."""\nimport os\n\n@decorator\nclass Key:\n    """A key."""\n    def turn(self, n=1):\n        for i in range(n):\n            yield f"{i}"\n\nasync def main():\n    pass\n',
  "a.java":
    "package a;\nimport b.C;\n/** Doc */\npublic class Key<T> implements D {\n  private int x = 1;\n  public void turn() { while (true) { x++; } }\n  enum E { A, B }\n}\n",
  "a.cs":
    "using System;\nnamespace A {\n  /// <summary>Key</summary>\n  public record Key(int Id);\n  class B { public int X { get; set; } void M() => X = 1; }\n}\n",
  "a.go":
    'package a\n\nimport "fmt"\n\n// Key is a key.\ntype Key struct{ ID int }\n\nfunc (k *Key) Turn() error {\n\tfmt.Println(k.ID)\n\treturn nil\n}\n',
  "a.rs":
    "//! Doc\nuse std::fmt;\n/// A key.\n#[derive(Debug)]\npub struct Key<'a> { id: &'a str }\nimpl<'a> Key<'a> { pub fn turn(&self) -> u8 { 1 } }\nmacro_rules! m { ($x:expr) => { $x } }\n",
  "a.c":
    "#include <stdio.h>\n/* key */\nstruct key { int id; };\nstatic int turn(struct key *k) {\n  return k->id;\n}\n#define A(x) \\\n  (x)\n",
  "a.cpp":
    "#include <vector>\nnamespace a {\ntemplate <typename T> class Key : public B {\n public:\n  Key() = default;\n  auto turn() -> int { return 1; }\n};\n}\n",
  "a.rb":
    '# key\nmodule A\n  class Key < B\n    attr_reader :id\n    def turn(n = 1)\n      n.times { |i| puts "#{i}" }\n    end\n  end\nend\n',
  "a.php":
    '<html><?php\nnamespace A;\n/** Doc */\nclass Key extends B {\n  public function turn(int $n): void { echo "$n"; }\n}\nfunction f() { return fn($x) => $x; }\n?></html>\n',
};
