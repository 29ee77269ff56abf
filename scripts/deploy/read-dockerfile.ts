/** One instruction of a Dockerfile: its name, and the rest of its line. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** A stage of a Dockerfile: the image that it begins with, its name, and its instructions. */
export interface Stage {
  readonly from: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Instructions that `check:deploy` carries out or that need nothing to be done. */
const known = new Set([
  "WORKDIR",
  "COPY",
  "RUN",
  "ENV",
  "VOLUME",
  "EXPOSE",
  "USER",
  "HEALTHCHECK",
  "ENTRYPOINT",
  "CMD",
]);

/** Reads the stages of a Dockerfile. **Errors** an instruction that the check does not know. */
export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*#/u.test(line))
    .join("\n")
    .replaceAll(/\\\n/gu, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const stages: { from: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/u.exec(line) ?? [];
    if (name === "FROM") {
      const [from = "", , stage] = rest.split(/\s+/u);
      stages.push({ from, name: stage, instructions: [] });
    } else if (known.has(name) && stages.length > 0) stages.at(-1)!.instructions.push({ name, rest });
    else throw new Error(`The Dockerfile has ${name || line}, which this check does not know.`);
  }
  return stages;
}
