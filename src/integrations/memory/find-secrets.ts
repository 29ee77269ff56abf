import { IbidError } from "../../contracts/errors.ts";

/** A passage that has the form of a credential. The words of it are not kept. */
export interface FoundSecret {
  /** Name of the rule that found it. */
  readonly rule: string;
  /** **Units** UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Forms that the detector's recommended rules leave out.
 *
 * **Source** the public documentation of each provider, and the rules `gcp-api-key`, `aws-access-token` and `jwt` of gitleaks 8 (MIT), read in November 2026.
 */
const patterns: readonly (readonly [rule: string, pattern: RegExp])[] = [
  ["aws-access-key-id", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/gu],
  ["google-api-key", /\bAIza[\w-]{35}(?![\w-])/gu],
  ["openai-api-key", /\bsk-(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,}/gu],
  ["json-web-token", /\beyJ[\w-]{14,}\.eyJ[\w-]{14,}\.[\w-]{20,}/gu],
  ["bearer-token", /\bauthorization\s*:\s*(?:bearer|basic|token)\s+[\w.~+/=-]{16,}/giu],
  // The detector asks for more bytes than a key of an elliptic curve has.
  [
    "private-key",
    /-----BEGIN (?:[A-Z\d]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----\s+(?:[\w+/=:,.-]+\s+){0,40}?[\w+/=]{40,}/gu,
  ],
  [
    "assigned-secret",
    /(?<![a-z0-9])(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key)["']?\s*[:=]\s*["']?(?=[^\s"']*\d)(?=[^\s"']*[A-Za-z])[^\s"'<>${}]{8,}/giu,
  ],
];

/**
 * Finds credentials by the rules of secretlint's recommended preset, and by the forms above.
 *
 * **Shape** in order of `start`. **Cost** the detector is loaded at the first call.
 */
export async function findSecrets(text: string): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = isNode() ? await findByDetector(text) : [];
  for (const [rule, pattern] of patterns)
    for (const { index, 0: match } of text.matchAll(pattern))
      found.push({ rule, start: index, end: index + match.length });
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * Refuses a note with a secret, in its words or in its facts: its key, file, session, author, title and metadata.
 *
 * **Errors** `invalid-argument`. The message names the rule and the place, and never the secret.
 */
export async function refuseSecrets(text: string, facts: Readonly<Record<string, unknown>>): Promise<void> {
  const lines = Object.entries(facts).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const [first] = await findSecrets([text, ...lines].join("\n"));
  if (first === undefined) return;
  const { rule, start, end } = first;
  const isInText = start < text.length;
  throw new IbidError(
    "invalid-argument",
    isInText
      ? `The note has a secret at character ${start}, by the rule "${rule}". Nothing was stored.`
      : `The note has a secret beside its text, in its key, file, title or metadata, by the rule "${rule}". Nothing was stored.`,
    {
      hint: "Name the place where the secret is kept, and leave its value out.",
      details: { rule, ...(isInText && { start, end }) },
    },
  );
}

/** Pages have no such packages. The forms above are looked for everywhere. */
function isNode(): boolean {
  return typeof process === "object" && process.versions?.node !== undefined;
}

async function findByDetector(text: string): Promise<FoundSecret[]> {
  const [{ lintSource }, { creator }, { secretLintProfiler }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
    import("@secretlint/profiler"),
  ]).catch((cause: unknown) => {
    throw new IbidError(
      "dependency-missing",
      "Notes are checked for secrets by @secretlint/core, which is not there.",
      {
        hint: "Install it: npm install @secretlint/core @secretlint/secretlint-rule-preset-recommend",
        cause,
      },
    );
  });
  // The detector times each rule, and keeps a hundred times of each text as long as the process lives.
  secretLintProfiler.setEnabled(false);
  type Config = Parameters<typeof lintSource>[0]["options"]["config"];
  const config = { rules: [{ id: "preset", rule: creator }] } as unknown as Config;
  const { messages } = await lintSource({
    source: { filePath: "note.txt", content: text, contentType: "text", ext: ".txt" },
    options: { noPhysicFilePath: true, config },
  });
  return messages.map(({ ruleId, range: [start, end] }) => ({
    rule: ruleId.replace(/^@secretlint\/secretlint-rule-/u, ""),
    start,
    end,
  }));
}
