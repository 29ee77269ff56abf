import { isObject } from "../ai-sdk/ai-sdk-model.ts";
import type { AiSdkMessage } from "../ai-sdk/to-prompt.ts";
import { wireError } from "./wire-call.ts";

type UserPart = Extract<AiSdkMessage, { readonly role: "user" }>["content"][number];
type FilePart = Extract<UserPart, { readonly type: "file" }>;

/**
 * Converts the AI SDK's prompt to messages of OpenAI's Chat Completions.
 *
 * **Shape** a user message of one text is a string, as every server takes it. Pictures become `image_url`, WAV and MP3 recordings `input_audio`, PDF and other files `file`.
 * **Errors** in the AI SDK's form, for a recording at an address or in another format.
 * **Source** OpenAI API reference, "Create chat completion".
 */
export function toWireMessages(prompt: readonly AiSdkMessage[], takesAddresses = false): readonly object[] {
  return prompt.flatMap((message): readonly object[] => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }];
      case "user": {
        const [first, ...more] = message.content;
        if (first?.type === "text" && more.length === 0) return [{ role: "user", content: first.text }];
        return [{ role: "user", content: message.content.map((part) => toWirePart(part, takesAddresses)) }];
      }
      case "assistant": {
        const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
        const calls = message.content.flatMap((part) =>
          part.type === "tool-call"
            ? [
                {
                  id: part.toolCallId,
                  type: "function",
                  function: { name: part.toolName, arguments: JSON.stringify(part.input) },
                },
              ]
            : [],
        );
        return [
          {
            role: "assistant",
            content: text === "" ? null : text,
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
        ];
      }
      case "tool":
        return message.content.map(({ toolCallId, output }) => ({
          role: "tool",
          tool_call_id: toolCallId,
          content: output.value,
        }));
    }
  });
}

function toWirePart(part: UserPart, takesAddresses: boolean): object {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType } = part;
  const { bytes, address, fileId } = readData(part);
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } };
  if (mediaType.startsWith("image/")) {
    return {
      type: "image_url",
      // A data URL names a real type: where nobody said it, the commonest.
      image_url: { url: address ?? toDataUrl(bytes, mediaType === "image/*" ? "image/jpeg" : mediaType) },
    };
  }
  if (mediaType.startsWith("audio/")) {
    const format = formats[mediaType];
    if (address !== undefined && takesAddresses) return { type: "audio_url", audio_url: { url: address } };
    if (address === undefined && format !== undefined)
      return { type: "input_audio", input_audio: { data: toBase64(bytes), format } };
    throw wireError(
      "AI_UnsupportedFunctionalityError",
      "Recordings are sent as bytes, and as WAV or MP3: say so in their media type.",
    );
  }
  if (address !== undefined && takesAddresses) return { type: "file", file: { file_url: address } };
  if (address !== undefined) {
    throw wireError("AI_UnsupportedFunctionalityError", "Files are sent as bytes, not as addresses.");
  }
  return { type: "file", file: { filename: "document", file_data: toDataUrl(bytes, mediaType) } };
}

const formats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** Data as specification v4 tags it. */
function readData({ data }: FilePart): {
  readonly bytes: Uint8Array;
  readonly address?: string;
  readonly fileId?: string;
} {
  const none = new Uint8Array();
  const tagged: Readonly<Record<string, unknown>> = isObject(data) ? data : {};
  if (tagged["url"] instanceof URL) return { bytes: none, address: tagged["url"].href };
  if (tagged["data"] instanceof Uint8Array) return { bytes: tagged["data"] };
  const [fileId] = isObject(tagged["reference"]) ? Object.values(tagged["reference"]) : [];
  return { bytes: none, fileId: String(fileId) };
}

/** **Source** RFC 2397. */
function toDataUrl(bytes: Uint8Array, mediaType: string): string {
  return `data:${mediaType};base64,${toBase64(bytes)}`;
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
