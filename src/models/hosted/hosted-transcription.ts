import type { Transcript, TranscriptionProvider, TranscriptSegment } from "../../contracts/extraction.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { readAddress } from "../../runtime/read-address.ts";
import { isObject } from "../ai-sdk/ai-sdk-model.ts";
import { toModelError } from "./to-model-error.ts";
import { callWire, wireError } from "./wire-call.ts";

/**
 * Options of a transcription by a server that speaks OpenAI's API.
 *
 * @experimental
 */
export interface HostedTranscriptionOptions {
  /** Such as `whisper-1`. */
  readonly model: string;
  /** Up to the version: `https://api.openai.com/v1`, `http://127.0.0.1:8000/v1`. */
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  /** Language of the recordings, as two letters. Default: the model finds it. */
  readonly language?: string | undefined;
  /** How long nothing may come before a call is given up. **Units** milliseconds. Default 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

const names = { model: true, baseURL: true, apiKey: true, language: true, timeoutMs: true } as const;
/** The largest honest answer: a day of speech, with its times. **Units** bytes. */
const mostAnswer = 64 * 2 ** 20;

/**
 * Transcribes recordings by a server that speaks OpenAI's API: OpenAI itself, or one on this machine.
 *
 * **Shape** `POST baseURL/audio/transcriptions`, a form with `file`, `model`, `response_format=verbose_json` and segments. A server that gives a text without times
 * has it in one segment.
 * **Errors** `invalid-argument` for the address. When called, those of every hosted model; the recording's words stand in none.
 * **Source** OpenAI, "Create transcription".
 *
 * @experimental
 * @example createRecordingReader({ transcription: createHostedTranscription({ model: "whisper-1", baseURL: "http://127.0.0.1:8000/v1" }) })
 */
export function createHostedTranscription(options: HostedTranscriptionOptions): TranscriptionProvider {
  const where = "createHostedTranscription";
  checkGiven(where, "options", options, "object");
  checkOptions(where, options, names);
  const { model, apiKey, language, timeoutMs } = options;
  checkText(where, "model", model);
  checkText(where, "baseURL", options.baseURL);
  const baseURL = readAddress(options.baseURL, "baseURL").href.replace(/\/+$/u, "");
  const place = { provider: "hosted", baseURL, token: apiKey, timeoutMs };
  return {
    name: `transcription:${model}${language === undefined ? "" : `+${language}`}`,
    async transcribe({ uri, bytes, mediaType, signal }) {
      const form = new FormData();
      form.append("file", new Blob([bytes.slice()], { type: mediaType }), nameFor(uri, mediaType));
      form.append("model", model);
      form.append("response_format", "verbose_json");
      form.append("timestamp_granularities[]", "segment");
      if (language !== undefined) form.append("language", language);
      try {
        return transcriptOf(await callWire(place, "/audio/transcriptions", form, signal, mostAnswer));
      } catch (error) {
        throw toModelError(error, { kind: "chat", provider: place.provider, model, sent: [], signal });
      }
    },
  };
}

/** Servers tell formats by the extension. */
function nameFor(uri: string, mediaType: string): string {
  const extension = /\.(\w{2,4})$/u.exec(uri)?.[1] ?? /\/(?:x-)?(\w+)/u.exec(mediaType)?.[1] ?? "bin";
  return `recording.${extension.toLowerCase()}`;
}

function transcriptOf(answer: Readonly<Record<string, unknown>>): Transcript {
  const { segments, text, language, duration } = answer;
  const listed = Array.isArray(segments)
    ? segments
    : typeof text === "string"
      ? [{ start: 0, end: duration ?? 0, text }]
      : undefined;
  const read = listed?.map((one: unknown): TranscriptSegment | undefined => {
    if (!isObject(one)) return undefined;
    const { start, end, text: words, speaker } = one;
    if (typeof start !== "number" || typeof end !== "number" || typeof words !== "string") return undefined;
    return { start, end, text: words, ...(typeof speaker === "string" && { speaker }) };
  });
  if (read === undefined || read.includes(undefined))
    throw wireError(
      "AI_InvalidResponseDataError",
      "The answer has neither segments with start, end and text, nor a text.",
    );
  const found = read.filter((segment) => segment !== undefined);
  return { segments: found, ...(typeof language === "string" && /^[a-z]{2,3}(?:-|$)/u.test(language) && { language }) };
}
