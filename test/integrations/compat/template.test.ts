import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IbidError } from "ibid";
import { createTemplate, encodeHtml, type PromptArguments, type TemplateOptions } from "ibid/compat";
import { parseTemplate } from "../../../src/integrations/compat/template/parse-template.ts";

const render = (text: string, args: PromptArguments = {}, options: TemplateOptions = {}): Promise<string> =>
  createTemplate(text, options).render(args);

describe("the template language", () => {
  const functions = {
    now: () => "noon",
    show: (input: unknown, named: object) => JSON.stringify([input, named]),
  };
  const all = { functions, plugins: { tools: functions }, trusted: true };

  it.each([
    ["", ""],
    ["plain } text } }} with } braces", "plain } text } }} with } braces"],
    ["{{$a}}", "one"],
    ["{{ $a }}{{\n$b\t}}", "onetwo"],
    ["{{{$a}}}", "{one}"],
    ["{{{{$a}}}}", "{{one}}"],
    ["{{}} and {{ }}", "{{}} and {{ }}"],
    ["{{'it is'}} {{ \"so\" }}", "it is so"],
    ["{{ '{{' }}$a{{ '}}' }}", "{{$a}}"],
    [String.raw`{{'it\'s \\ \n "so"'}}`, String.raw`it's \ \n "so"`],
    ["{{now}}, {{tools.now}}", "noon, noon"],
    ["{{show 'x'}}", '["x",{}]'],
    ["{{show $a}}", '["one",{}]'],
    ["{{show 'x' first=$a second = \"}}\"}}", '["x",{"first":"one","second":"}}"}]'],
    ["{{tools.show name='y'}}", '[null,{"name":"y"}]'],
    ["{{show $missing name=$missing}}", "[null,{}]"],
    ["{{$number}}{{$list}}{{$nothing}}", "7[1,2]"],
  ])("%j renders %j [S14 S15]", async (template, expected) => {
    const args = { a: "one", b: "two", number: 7, list: [1, 2], nothing: null };
    expect(await render(template, args, all)).toBe(expected);
  });

  it.each([
    ["a\nb {{$x", 2, 3, "{{ is not closed"],
    ["{{now", 1, 1, "{{ is not closed"],
    ["{{$}}", 1, 3, "$ has no name"],
    ["{{'open}}", 1, 3, "' is not closed"],
    ["{{show 'a' 'b'}}", 1, 12, "only the first argument goes without a name"],
    ["{{show x=}}", 1, 10, "x is given no value"],
    ["{{show x='1' x='2'}}", 1, 14, "x is given twice"],
    ["{{tools.}}", 1, 8, '"tools." names no function'],
    ["{{#if x}}", 1, 3, "begins nothing"],
    ["{{$a $b}}", 1, 6, "not understood"],
    ["{{now {{$x}}", 1, 7, "not understood"],
    ["{{a-b}}", 1, 4, "not understood"],
  ])("%j is an error that says where [S28]", (template, line, column, what) => {
    expect(() => createTemplate(template, all)).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        message: expect.stringContaining(what) as string,
        details: { line, column },
        hint: expect.stringMatching(/\.$/u) as string,
      }) as Error,
    );
  });

  it("renders a missing variable as nothing, and says which functions there are [S28]", async () => {
    expect(await render("[{{$missing}}{{$constructor}}]")).toBe("[]");
    for (const name of ["tools.gone", "gone 'x'", "other.now", "constructor 'x'", "__proto__.x"])
      expect(() => createTemplate(`{{${name}}}`, all)).toThrow(
        expect.objectContaining({ code: "not-found", hint: expect.stringContaining("tools.now") as string }) as Error,
      );
    await expect(render("\n{{gone}}")).rejects.toMatchObject({
      code: "not-found",
      message: 'The template, line 2, column 1: "gone" is neither a function nor an argument.',
    });
    await expect(render("{{toString}}")).rejects.toMatchObject({ code: "not-found" });
  });

  it("reads a bare name as the function, else as the argument [S14]", async () => {
    const template = "{{budgetByYear}} What is my budget for 2024?";
    const args = { budgetByYear: "2024: 90" };
    expect(await render(template, args)).toBe("2024: 90 What is my budget for 2024?");
    expect(await render(template.replace("budget", "$budget"), args)).toBe("2024: 90 What is my budget for 2024?");
    const functions = { budgetByYear: () => "from the function" };
    expect(await render(template, args, { functions })).toBe("from the function What is my budget for 2024?");
    await expect(render(template)).rejects.toMatchObject({ code: "not-found" });
  });

  it("calls functions in turn, stops when told to, and lets their errors through [S15]", async () => {
    const order: string[] = [];
    const wait = async (name: unknown) => {
      await new Promise((resolve) => void setTimeout(resolve, name === "slow" ? 5 : 0));
      order.push(String(name));
      return "";
    };
    await render("{{wait 'slow'}}{{wait 'fast'}}", {}, { functions: { wait } });
    expect(order).toEqual(["slow", "fast"]);

    const controller = new AbortController();
    const stuck = createTemplate("{{stuck}}{{after}}", {
      functions: { stuck: () => new Promise<string>(() => {}), after: () => void order.push("after") },
    });
    const rendering = stuck.render({}, { signal: controller.signal });
    controller.abort();
    await expect(rendering).rejects.toMatchObject({ code: "aborted" });
    expect(order).not.toContain("after");
    const broken = new IbidError("not-found", "No such thing.");
    const fail = () => {
      throw broken;
    };
    await expect(render("{{fail}}", {}, { functions: { fail } })).rejects.toBe(broken);
  });

  it("refuses an option that it does not know", () => {
    expect(() => createTemplate("", { function: {} } as TemplateOptions)).toThrow(
      'createTemplate has no option "function"',
    );
  });
});

describe("what is inserted", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc
      .array(fc.constantFrom("{{", "}}", "$a", "'", '"', "\\", "<", ">", "&", "</context>", "{{steal}}", " "), {
        maxLength: 8,
      })
      .map((parts) => parts.join("")),
  );

  it("is never read as a template, whatever it says [S28 L12]", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (argument, answer) => {
        const asked: unknown[] = [];
        const echo = (input: unknown): string => {
          asked.push(input);
          return answer;
        };
        const steal = () => {
          throw new Error("called");
        };
        const options = { functions: { echo, steal }, trusted: true };
        const rendered = await render("1{{$a}}2{{echo $a}}3", { a: argument, steal: "x" }, options);
        expect(rendered).toBe(`1${argument}2${answer}3`);
        expect(asked).toEqual([argument]);
      }),
    );
  });

  it("closes nothing that stands around it [S28 L12]", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (argument, answer) => {
        const template = `<context a="{{$a}}" b='{{a}}'>{{say}}</context>`;
        const rendered = await render(template, { a: argument }, { functions: { say: () => answer } });
        const found = /^<context a="([^"<>]*)" b='([^'<>]*)'>([^<>]*)<\/context>$/u.exec(rendered);
        expect(found?.slice(1)).toEqual([argument, argument, answer].map(encodeHtml));
      }),
    );
  });

  it("is what a quoted text says, for every text [S28]", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom("'", '"'), (text, quote) => {
        const quoted = quote + text.replaceAll(/[\\'"]/gu, (character) => `\\${character}`) + quote;
        expect(parseTemplate(`{{f ${quoted}}}`)).toMatchObject([{ input: { kind: "value", text } }]);
      }),
    );
  });

  it("takes any text apart or says why not, and fails in no other way [S28]", () => {
    const pieces = fc.constantFrom("{{", "}}", "{", "}", "$", "name", "'", '"', "\\", "=", ".", " ", "\n", "é");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
        const text = parts.join("");
        const read = (): unknown => {
          try {
            return parseTemplate(text);
          } catch (error) {
            return error;
          }
        };
        expect(read()).toSatisfy((got) => Array.isArray(got) || IbidError.isInstance(got, "invalid-argument"));
      }),
      { numRuns: 500 },
    );
  });

  it("is as it is where the application trusts it [S28]", async () => {
    const options = { functions: { f: () => "<f>" }, plugins: { p: { f: () => "<p.f>" } } };
    const template = "{{$a}}{{$b}}{{f}}{{p.f}}";
    const args = { a: "<a>", b: "<b>" };
    expect(await render(template, args, options)).toBe("&lt;a&gt;&lt;b&gt;&lt;f&gt;&lt;p.f&gt;");
    expect(await render(template, args, { ...options, trusted: ["$a", "p.f"] })).toBe("<a>&lt;b&gt;&lt;f&gt;<p.f>");
    expect(await render(template, args, { ...options, trusted: true })).toBe("<a><b><f><p.f>");
  });

  it("refuse a trusted name that would trust nothing", async () => {
    const wrong = () => createTemplate("{{$x}}", { trusted: ["x"] });
    expect(wrong).toThrow('createTemplate: trusted names "x", and there is no such function.');
    expect(await createTemplate("{{$x}}", { trusted: ["$x"] }).render({ x: "<b>" })).toBe("<b>");
  });
});
