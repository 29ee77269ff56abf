import { describe, expect, it } from "vitest";
import { createTemplate, type RenderFilter } from "ibid/compat";

const note =
  (name: string, order: string[]): RenderFilter =>
  async (_, next) => {
    order.push(`${name} rendering`);
    await new Promise((resolve) => void setTimeout(resolve, 1));
    await next();
    order.push(`${name} rendered`);
  };

const twice: RenderFilter = async (_, next) => {
  await next();
  await next();
};

const render = (text: string, filters: readonly RenderFilter[], args = {}): Promise<string> =>
  createTemplate(text, { filters, functions: { fail: () => Promise.reject(new Error("no database")) } }).render(args);

describe("render filters", () => {
  it("go in by their order and out by its reverse [S17]", async () => {
    const order: string[] = [];
    const filters = ["F1", "F2", "F3"].map((name) => note(name, order));
    expect(await render("a prompt", filters)).toBe("a prompt");
    expect(order).toEqual(
      ["F1", "F2", "F3"]
        .map((name) => `${name} rendering`)
        .concat(["F3", "F2", "F1"].map((name) => `${name} rendered`)),
    );
  });

  it("change the prompt on the way out, and the arguments on the way in [S17]", async () => {
    const prepend: RenderFilter = async (context, next) => {
      context.args = { ...context.args, year: 2024 };
      await next();
      context.renderedPrompt = `some data\n${context.renderedPrompt}`;
    };
    expect(await render("What is my budget for {{$year}}?", [prepend])).toBe("some data\nWhat is my budget for 2024?");
  });

  it("answer in the template's stead, and see what goes wrong further in [S17]", async () => {
    const order: string[] = [];
    const instead: RenderFilter = (context) => {
      context.renderedPrompt = `not ${context.template}`;
    };
    expect(await render("{{fail}}", [note("F1", order), instead, note("F3", order)])).toBe("not {{fail}}");
    expect(order).toEqual(["F1 rendering", "F1 rendered"]);
    await expect(render("{{fail}}", [note("F1", order)])).rejects.toThrow("no database");
    const hint: RenderFilter = async (context, next) => {
      await next().catch((error: Error) => {
        context.renderedPrompt = `without: ${error.message}`;
      });
    };
    expect(await render("{{fail}}", [hint])).toBe("without: no database");
  });

  it.each<[string, RenderFilter]>([
    ["left no prompt", () => {}],
    ["called next twice", twice],
    ["did not wait for next", (_, next) => void next()],
  ])("say who %s [S17]", async (what, filter) => {
    const order: string[] = [];
    await expect(render("a", [note("F1", order), filter, note("F3", order)])).rejects.toMatchObject({
      code: "invalid-argument",
      message: `Render filter number 2 ${what}.`,
    });
  });

  it("are left when the rendering is stopped", async () => {
    const order: string[] = [];
    const controller = new AbortController();
    controller.abort();
    const template = createTemplate("a", { filters: [note("F1", order)] });
    await expect(template.render({}, { signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    expect(order).toEqual([]);
  });
});
