import { IbidError } from "../../contracts/errors.ts";
import type { Transcript, TranscriptionProvider } from "../../contracts/extraction.ts";
import type { Reader, ReadInput, ReadResult } from "../../contracts/reader.ts";
import { abortError } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { clock } from "../../text/place-labels.ts";
import { fileNameOf } from "../file-name.ts";

/**
 * Reads recordings, sound and film, by a transcription: the canonical text is what is said, as that of subtitles.
 *
 * **Shape** paragraphs begin with their time, `[00:01:05]`, and with the speaker where the provider tells one. The title is the file name; metadata `language`.
 * **Errors** `empty` where nothing is said, `invalid-response` for a transcript of another shape, those of the provider. `aborted`.
 * **Cost** the provider's.
 *
 * @experimental
 */
export function createRecordingReader(options: { readonly transcription: TranscriptionProvider }): Reader {
  checkGiven("createRecordingReader", "options", options, "object");
  checkOptions("createRecordingReader", options, { transcription: true });
  const { transcription } = options;
  checkGiven("createRecordingReader", "transcription", transcription, "object");
  return {
    name: `recording/2+${transcription.name}`,
    accepts: (mediaType) => /^(?:audio|video)\//u.test(mediaType),
    read: (input) => readRecording(input, transcription),
  };
}

async function readRecording(input: ReadInput, transcription: TranscriptionProvider): Promise<ReadResult> {
  const { uri, bytes, mediaType, signal } = input;
  const transcript: unknown = await transcription.transcribe({ uri, bytes, mediaType, ...(signal && { signal }) });
  if (signal?.aborted === true) throw abortError(signal, `Reading ${uri}`, { uri });
  const { segments, language } = checkTranscript(transcript, transcription.name, uri);
  const cues = segments.map(({ start, end, text, speaker }) => {
    const words = text
      .replace(/\s+/gu, " ")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .trim();
    const voice = speaker === undefined ? "" : `<v ${speaker.replace(/[<>\s]+/gu, " ")}>`;
    return words === "" ? "" : `${cueTime(start)} --> ${cueTime(end)}\n${voice}${words.replaceAll("--&gt;", "→")}\n`;
  });
  const written = cues.filter((cue) => cue !== "").join("\n");
  if (written === "") {
    throw new IbidError("empty", `Nothing is said in ${uri}, as far as ${transcription.name} can tell.`, {
      hint: "Check that the recording has speech, and in a language that the provider knows.",
      uri,
      details: { mediaType: input.mediaType },
    });
  }
  const { readSubtitles } = await import("./read-subtitles.ts");
  const { metadata, sourceMap, ...result } = readSubtitles({
    ...input,
    bytes: new TextEncoder().encode(`WEBVTT\n\n${written}`),
    mediaType: "text/vtt",
    charset: "utf-8",
  });
  const title = fileNameOf(uri);
  return {
    ...result,
    title,
    root: { ...result.root, title },
    sourceMap: { ...sourceMap, lines: "none" },
    metadata: { ...metadata, ...(language !== undefined && { language }) },
    notes: [`Its words were written down by ${transcription.name}.`],
  };
}

function checkTranscript(given: unknown, name: string, uri: string): Transcript {
  const { segments, language } = (given ?? {}) as Partial<Transcript>;
  const wrong = (field: string): IbidError =>
    new IbidError("invalid-response", `${name} gave a transcript of ${uri} with a wrong ${field}.`, {
      hint: "A transcript is { segments: [{ start, end, text }] }: numbers of seconds, and a string.",
      uri,
      details: { field },
    });
  if (!Array.isArray(segments)) throw wrong("list of segments");
  for (const [index, segment] of (segments as readonly (Partial<Transcript["segments"][number]> | null)[]).entries()) {
    for (const field of ["start", "end"] as const)
      if (!(Number.isFinite(segment?.[field]) && segment![field]! >= 0)) throw wrong(`segments[${index}].${field}`);
    if (typeof segment?.text !== "string") throw wrong(`segments[${index}].text`);
    if (segment.speaker !== undefined && typeof segment.speaker !== "string") throw wrong(`segments[${index}].speaker`);
  }
  return { segments, ...(typeof language === "string" && { language }) };
}

/** `00:01:05.250` for 65.25 seconds. */
function cueTime(seconds: number): string {
  const whole = Math.round(seconds * 1000);
  return `${clock(whole / 1000)}.${String(whole % 1000).padStart(3, "0")}`;
}
