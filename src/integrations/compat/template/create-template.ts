import { IbidError } from "../../../contracts/errors.ts";
import type { JsonValue } from "../../../contracts/metadata.ts";
import { throwIfAborted, untilAborted } from "../../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../../runtime/check-options.ts";
import { callWithin, type FunctionContext, type FunctionFilter } from "./function-filter.ts";
import { encodeHtml } from "./encode-html.ts";
import { type Operand, parseTemplate, type TemplateCall, templateError } from "./parse-template.ts";
import { type PromptArguments, type PromptFunction, type PromptPlugin, showValue } from "./prompt-function.ts";
import { type RenderFilter, renderWithin } from "./render-filter.ts";

/**
 * Options of a template. All have defaults.
 *
 * @experimental
 */
export interface TemplateOptions {
  /** Functions by name: `{{recall 'budget'}}`. */
  readonly functions?: PromptPlugin | undefined;
  /** Plugins by name: `{{memory.recall 'budget'}}`. */
  readonly plugins?: Readonly<Record<string, PromptPlugin>> | undefined;
  /** Filters around each rendering, the first outermost. */
  readonly filters?: readonly RenderFilter[] | undefined;
  /** Filters around each call of a function, the first outermost. */
  readonly functionFilters?: readonly FunctionFilter[] | undefined;
  /**
   * Values that are inserted unencoded: `"$variable"`, `"function"`, `"plugin.function"`, or `true` for all. Default: none. Other values have `&`, `<`, `>` and quotes
   * encoded, so that they cannot close the text around them.
   */
  readonly trusted?: boolean | readonly string[] | undefined;
}

/**
 * A prompt with blanks.
 *
 * @experimental
 */
export interface PromptTemplate {
  readonly text: string;
  /**
   * Renders the prompt.
   *
   * **Shape** functions are called one after the other, in the order of the text. Results and arguments are inserted once, and never read as a template again.
   * A missing argument is `""`.
   * **Errors** `not-found` for an unknown name; `aborted`; the errors of functions and filters.
   */
  render(args?: PromptArguments, options?: { readonly signal?: AbortSignal }): Promise<string>;
}

/**
 * Makes a prompt template: `{{recall 'company budget by year'}} What is my budget for {{$year}}?`
 *
 * A bare name such as `{{budgetByYear}}` is the function of that name, else the argument of that name.
 *
 * **Errors** `invalid-argument` for an invalid template, with line and column, and for an unknown option. `not-found` at once for an unknown function with arguments, or
 * an unknown function of a plugin.
 * **Source** Semantic Kernel's template language.
 *
 * @experimental
 */
export function createTemplate(text: string, options: TemplateOptions = {}): PromptTemplate {
  checkGiven("createTemplate", "text", text, "text");
  checkOptions("createTemplate", options, {
    functions: true,
    plugins: true,
    filters: true,
    functionFilters: true,
    trusted: true,
  });
  const { functions = {}, plugins = {}, filters = [], functionFilters = [], trusted = [] } = options;
  const parts = parseTemplate(text);
  checkTrusted(trusted, namesOf(functions, plugins));
  const isTrusted = (name: string): boolean => (typeof trusted === "boolean" ? trusted : trusted.includes(name));
  const insert = (name: string, value: JsonValue | undefined): string =>
    isTrusted(name) ? showValue(value) : encodeHtml(showValue(value));

  const calls = new Map<TemplateCall, PromptFunction>();
  for (const part of parts) {
    if (part.kind !== "call") continue;
    const found = findFunction(part, functions, plugins);
    if (found !== undefined) calls.set(part, found);
    else if (!isBare(part)) throw unknownFunction(text, part, functions, plugins);
  }

  const call = async (part: TemplateCall, args: PromptArguments, signal: AbortSignal | undefined): Promise<string> => {
    const run = calls.get(part);
    if (run === undefined) {
      if (Object.hasOwn(args, part.name)) return insert(`$${part.name}`, args[part.name]);
      throw unknownFunction(text, part, functions, plugins);
    }
    const named = part.named.map(({ name, operand }) => [name, valueOf(operand, args)] as const);
    const given = Object.fromEntries(named.filter(([, value]) => value !== undefined));
    const input = part.input && valueOf(part.input, args);
    const context: FunctionContext = { name: fullName(part), input, args: given, result: undefined, signal };
    const running = callWithin(functionFilters, context, async (seen) => run(seen.input, seen.args, { signal }));
    return insert(fullName(part), await untilAborted(running, signal, `The function ${fullName(part)}`));
  };

  const renderParts = async (args: PromptArguments, signal: AbortSignal | undefined): Promise<string> => {
    let rendered = "";
    for (const part of parts) {
      throwIfAborted(signal, "The rendering");
      if (part.kind === "text") rendered += part.text;
      else if (part.kind === "variable") rendered += insert(`$${part.name}`, own(args, part.name));
      else rendered += await call(part, args, signal);
    }
    return rendered;
  };

  return {
    text,
    async render(args = {}, { signal } = {}) {
      const context = { template: text, args, renderedPrompt: undefined, signal };
      return renderWithin(filters, context, (given) => renderParts(given, signal));
    },
  };
}

const fullName = ({ plugin, name }: TemplateCall): string => (plugin === undefined ? name : `${plugin}.${name}`);

/** A bare name, which may be an argument's. */
const isBare = ({ plugin, input, named }: TemplateCall): boolean =>
  plugin === undefined && input === undefined && named.length === 0;

/** Reads own properties only: `constructor` and the like are not arguments. */
function own<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

const valueOf = (operand: Operand, args: PromptArguments): JsonValue | undefined =>
  operand.kind === "value" ? operand.text : own(args, operand.name);

function findFunction(
  { plugin, name }: TemplateCall,
  functions: PromptPlugin,
  plugins: Readonly<Record<string, PromptPlugin>>,
): PromptFunction | undefined {
  return own(plugin === undefined ? functions : (own(plugins, plugin) ?? {}), name);
}

const namesOf = (functions: PromptPlugin, plugins: Readonly<Record<string, PromptPlugin>>): readonly string[] => [
  ...Object.keys(functions),
  ...Object.entries(plugins).flatMap(([plugin, its]) => Object.keys(its).map((name) => `${plugin}.${name}`)),
];

/** **Errors** `invalid-argument` for a name that is neither a variable nor a known function: it would trust nothing. */
function checkTrusted(trusted: boolean | readonly string[], known: readonly string[]): void {
  if (typeof trusted === "boolean") return;
  const wrong = trusted.find((name) => !name.startsWith("$") && !known.includes(name));
  if (wrong === undefined) return;
  throw new IbidError("invalid-argument", `createTemplate: trusted names "${wrong}", and there is no such function.`, {
    hint: `Write "$${wrong}" for the variable.`,
  });
}

function unknownFunction(
  text: string,
  part: TemplateCall,
  functions: PromptPlugin,
  plugins: Readonly<Record<string, PromptPlugin>>,
): IbidError {
  const known = namesOf(functions, plugins);
  const what = isBare(part)
    ? `"${part.name}" is neither a function nor an argument.`
    : `there is no function "${fullName(part)}".`;
  const there = known.length === 0 ? "There are no functions." : `There are ${known.join(", ")}.`;
  return templateError("not-found", text, part.at, what, `${there} An argument is {{$name}}.`);
}
