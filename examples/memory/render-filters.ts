// Memory in a prompt, the third way: filters around the rendering. The prompt stays what the user asked; the data are added behind the scenes, on the way out.
import { openKnowledgeBase } from "ibid";
import { createTemplate, type RenderFilter } from "ibid/compat";
import { check } from "../check.ts";

const kb = await openKnowledgeBase(undefined);
await kb.ingest({ uri: "budget.md", text: "The company budget for 2024 is 90,000." });

const order: string[] = [];
const named =
  (name: string): RenderFilter =>
  async (_context, next) => {
    order.push(`${name} rendering`);
    await next();
    order.push(`${name} rendered`);
  };
const filters = [named("F1"), named("F2"), named("F3")];
check("the prompt", await createTemplate("What is my budget?", { filters }).render(), "What is my budget?");
check("in and out", order, [
  "F1 rendering",
  "F2 rendering",
  "F3 rendering",
  "F3 rendered",
  "F2 rendered",
  "F1 rendered",
]);

const withData: RenderFilter = async (context, next) => {
  await next();
  const [hit] = await kb.search(context.renderedPrompt ?? "", { topK: 1 });
  context.renderedPrompt = `${hit?.text}\n${context.renderedPrompt}`;
};
const reminded = createTemplate("What is my budget for {{$year}}?", { filters: [withData] });
check(
  "with data",
  await reminded.render({ year: 2024 }),
  "The company budget for 2024 is 90,000.\nWhat is my budget for 2024?",
);

// A filter may answer itself, and nothing further in is called; or repair what went wrong there.
const cached: RenderFilter = (context) => {
  context.renderedPrompt = "kept from last time";
};
const functions = { fail: () => Promise.reject(new Error("no database")) };
check(
  "answered before",
  await createTemplate("{{fail}}", { functions, filters: [cached] }).render(),
  "kept from last time",
);
const mending: RenderFilter = (context, next) =>
  next().catch(() => {
    context.renderedPrompt = "without data";
  });
check("fixed", await createTemplate("{{fail}}", { functions, filters: [mending] }).render(), "without data");

await kb.close();
