import type { Answer, AnswerEvent } from "../contracts/answer.ts";
import type { Usage } from "../contracts/chat.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { createRun } from "../runtime/create-run.ts";
import { anySignal } from "../runtime/abort.ts";

/** Where the tokens of answers are counted. */
export interface TokenMeter {
  /** Reserves one token. **Errors** those for a caller who has used all. */
  begin(): void;
  /** Counts the tokens of an answer that is over, the reserved one among them; 0 gives that one back. */
  end(tokens: number): void;
  /** Gets the usage of models as they count it, of an answer or a verdict that is whole. */
  readonly spend: (model: string | null | undefined, usage: Usage) => void;
}

const charactersPerToken = 4;

/** A knowledge base whose answers and verdicts are counted. A model that does not count its tokens, and an answer that breaks off, count by characters. */
export function meterTokens(kb: KnowledgeBase, meter: TokenMeter): KnowledgeBase {
  const counted = (usage: Usage | undefined, characters: number): number => {
    const said = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    return said > 0 ? said : Math.ceil(characters / charactersPerToken);
  };
  return {
    ...kb,
    as: (access, options) => meterTokens(kb.as(access, options), meter),
    ask(question, options = {}) {
      meter.begin();
      const left = new AbortController();
      const signal = options.signal === undefined ? left.signal : anySignal([options.signal, left.signal]);
      return createRun<AnswerEvent, Answer>(
        async function* () {
          let characters = question.length;
          let tokens: number | undefined;
          try {
            const run = kb.ask(question, { ...options, signal });
            for await (const event of run) {
              if (event.type === "text") characters += event.delta.length;
              yield event;
            }
            const answer = await run;
            if (answer.usage !== undefined) meter.spend(answer.model, answer.usage);
            // An answer without a model costs nothing.
            const isOfModel = answer.usage !== undefined || answer.kind === "written";
            tokens = isOfModel ? counted(answer.usage, characters) : 0;
            return answer;
          } finally {
            meter.end(tokens ?? counted(undefined, characters));
          }
        },
        () => left.abort(),
      );
    },
    async verify(answer, options) {
      meter.begin();
      let tokens = 1;
      try {
        const verified = await kb.verify(answer, options);
        if (verified.usage !== undefined) meter.spend(verified.support.judge, verified.usage);
        const isOfModel = verified.usage !== undefined || verified.support.judge !== undefined;
        tokens = isOfModel ? counted(verified.usage, verified.text.length) : 0;
        return verified;
      } finally {
        meter.end(tokens);
      }
    },
  };
}
