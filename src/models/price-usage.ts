import { checkGiven, checkNotRevoked } from "../runtime/check-options.ts";
import type { ChatModel, ChatResult, ChatStreamPart, Price, Prices, Usage } from "../contracts/chat.ts";
import { IbidError } from "../contracts/errors.ts";

/** Adds the cost to a usage, where the model has a price and the provider counted. */
export function priceUsage(usage: Usage, price: Price | undefined): Usage {
  const { inputTokens, outputTokens } = usage;
  if (price === undefined || (inputTokens === undefined && outputTokens === undefined)) return usage;
  const { input, output = input } = price;
  return { ...usage, cost: ((inputTokens ?? 0) * input + (outputTokens ?? 0) * output) / 1_000_000 };
}

const counts = ["inputTokens", "outputTokens", "cost"] as const satisfies readonly (keyof Usage)[];

/**
 * Adds up the usage of several calls; `undefined` stands for a call that was not made.
 *
 * **Shape** a figure that one call lacks is missing from the sum: a partial sum would pass for the whole.
 *
 * @experimental
 */
export function addUsage(...usages: readonly (Usage | undefined)[]): Usage {
  for (const [at, usage] of usages.entries()) checkNotRevoked("addUsage", `usages[${at}]`, usage);
  const made = usages.filter((usage) => typeof usage === "object" && usage !== null);
  const sum: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of counts) {
    const known = made.flatMap((usage) => usage[name] ?? []);
    if (made.length > 0 && known.length === made.length) sum[name] = known.reduce((total, count) => total + count, 0);
  }
  return sum;
}

/** As a property, where anything is known. */
export function usageOf(usage: Usage | undefined): { readonly usage?: Usage } {
  return usage === undefined || Object.keys(usage).length === 0 ? {} : { usage };
}

/** The price of `provider/model`, if it has one. */
export function priceOf(prices: Prices | undefined, name: string): Price | undefined {
  return typeof prices === "object" && prices !== null && Object.hasOwn(prices, name) ? prices[name] : undefined;
}

/**
 * A model whose usage says what it cost; the same model where it has no price.
 *
 * @experimental
 */
export function withPrice(model: ChatModel, prices: Prices | undefined): ChatModel {
  checkGiven("withPrice", "model", model, "object");
  checkNotRevoked("withPrice", "prices", prices);
  const price = priceOf(prices, `${model.provider}/${model.model}`);
  if (price === undefined) return model;
  const priced = (result: ChatResult): ChatResult =>
    result.usage === undefined ? result : { ...result, usage: priceUsage(result.usage, price) };
  return {
    provider: model.provider,
    model: model.model,
    chat: async (messages, options) => priced(await model.chat(messages, options)),
    async *stream(messages, options): AsyncGenerator<ChatStreamPart, void, undefined> {
      for await (const part of model.stream(messages, options))
        yield part.type === "finish" ? { ...part, result: priced(part.result) } : part;
    },
  };
}

/** **Errors** `invalid-argument` for a name that is no `provider/model`, and for what is no price. */
export function checkPrices(prices: Prices | undefined): void {
  for (const [name, price] of Object.entries(prices ?? {})) {
    const { input, output = input } = (price ?? {}) as Partial<Price>;
    const amounts = [input, output];
    if (
      name.includes("/") &&
      amounts.every((amount) => typeof amount === "number" && Number.isFinite(amount) && amount >= 0)
    )
      continue;
    throw new IbidError("invalid-argument", `prices: "${name.slice(0, 100)}" has no valid price.`, {
      hint: 'Give { "openai/gpt-5-mini": { input: 0.25, output: 2 } }, for a million tokens.',
    });
  }
}
