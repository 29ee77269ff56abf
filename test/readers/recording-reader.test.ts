import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openKnowledgeBase } from "ibid";
import { createHostedTranscription } from "ibid/models";
import { createRecordingReader, locate, type TranscriptionProvider } from "ibid/readers";
import { afterEach, describe, expect, it } from "vitest";
import { refusalOf } from "./read-with.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** A server in the shape of OpenAI's transcriptions, and the forms that it received. */
async function serve(
  answer: unknown,
  status = 200,
): Promise<{ readonly baseURL: string; readonly forms: FormData[]; readonly keys: unknown[] }> {
  const forms: FormData[] = [];
  const keys: unknown[] = [];
  server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const type = request.headers["content-type"] ?? "";
    forms.push(await new Response(Buffer.concat(pieces), { headers: { "content-type": type } }).formData());
    keys.push([request.url, request.headers.authorization]);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, forms, keys };
}

const recording = Uint8Array.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0]);
const said = {
  language: "en",
  segments: [
    { start: 0, end: 2.5, text: " The ferry sails at dawn." },
    { start: 2.5, end: 4, text: " Bring <warm> clothes & bread." },
    { start: 65.25, end: 70, text: " Questions?" },
  ],
};

describe("recordings", () => {
  it("are searched by what is said, with its times, over OpenAI's endpoint", async () => {
    const { baseURL, forms, keys } = await serve(said);
    const transcription = createHostedTranscription({ model: "whisper-1", baseURL, apiKey: "k", language: "en" });
    const kb = await openKnowledgeBase({ readers: [createRecordingReader({ transcription })] });
    await kb.ingest({ uri: "talk.mp3", bytes: recording });
    const document = await kb.document("talk.mp3");
    expect(document?.text).toBe(
      "[00:00:00] The ferry sails at dawn. Bring <warm> clothes & bread.\n\n[00:01:05] Questions?",
    );
    expect(document?.metadata["language"]).toBe("en");
    const [hit] = await kb.search("clothes");
    expect(hit?.source.time).toEqual({ start: 0, end: 70 });
    expect(hit?.source.line).toBeUndefined();
    const at = document!.text.indexOf("Bring");
    expect(locate(document!, at, at + 5).time).toEqual({ start: 2.5, end: 4 });
    await kb.close();
    const [form] = forms;
    expect(
      ["model", "response_format", "timestamp_granularities[]", "language"].map((name) => form?.get(name)),
    ).toEqual(["whisper-1", "verbose_json", "segment", "en"]);
    const file = form?.get("file") as File;
    expect([file.name, file.type, new Uint8Array(await file.arrayBuffer())]).toEqual([
      "recording.mp3",
      "audio/mpeg",
      recording,
    ]);
    expect(keys).toEqual([["/v1/audio/transcriptions", "Bearer k"]]);
  });

  it("fail with the server's reason, and without its words", async () => {
    const { baseURL } = await serve({ error: { message: "too many requests" } }, 429);
    const transcription = createHostedTranscription({ model: "whisper-1", baseURL });
    const input = { uri: "a.mp3", bytes: recording, mediaType: "audio/mpeg" };
    expect(await refusalOf(transcription.transcribe(input))).toMatchObject({ code: "rate-limited" });
    const { baseURL: other } = await serve({ nothing: true });
    expect(await refusalOf(createHostedTranscription({ model: "m", baseURL: other }).transcribe(input))).toMatchObject({
      code: "invalid-response",
    });
  });

  it("name the field of a transcript that is wrong, and the speaker of one that is right", async () => {
    const read = (segments: unknown) => {
      const transcription = { name: "fake/1", transcribe: async () => ({ segments }) } as TranscriptionProvider;
      return createRecordingReader({ transcription }).read({ uri: "a.mp3", bytes: recording, mediaType: "audio/mpeg" });
    };
    expect(await refusalOf(read([{ start: 0, end: 1 }]))).toMatchObject({ details: { field: "segments[0].text" } });
    expect(await refusalOf(read([{ start: -1, end: 1, text: "a" }]))).toMatchObject({
      details: { field: "segments[0].start" },
    });
    expect(await refusalOf(read("none"))).toMatchObject({ details: { field: "list of segments" } });
    expect(await refusalOf(read([{ start: 0, end: 1, text: " " }]))).toMatchObject({ code: "empty" });
    expect((await read([{ start: 1, end: 2, text: "Hello.", speaker: "Ada" }])).text).toBe("[00:00:01] Ada: Hello.");
  });
});
