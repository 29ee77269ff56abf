import { pathToFileURL } from "node:url";
import { format, inspect } from "node:util";
import type { Asked, Answered } from "./share-process.ts";

/** What is told to run, one after the other, as if each were a program: modules that they share are loaded once. */
let last: Promise<unknown> = Promise.resolve();

let stdout = "";
console.log = (...values: unknown[]) => {
  stdout += `${format(...values)}\n`;
};

process.on("message", ({ path, cwd }: Asked) => {
  last = last.then(async () => {
    stdout = "";
    process.chdir(cwd);
    const failure = await import(pathToFileURL(path).href).then(
      () => "",
      (error: unknown) => inspect(error),
    );
    const answered: Answered = { stdout, failed: failure !== "", stderr: failure };
    process.send!(answered);
  });
});
