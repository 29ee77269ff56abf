import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Asked {
  readonly path: string;
  readonly cwd: string;
}

export interface Answered {
  readonly failed: boolean;
  /** What it logged. */
  readonly stdout: string;
  /** How it failed. */
  readonly stderr: string;
}

/** A process in which programs run one after the other: most of what a short one takes is the start of a process that loads the sources. */
export interface SharedProcess {
  /** **Errors** when the process ends, and when the program does not within the limit. */
  run(asked: Asked): Promise<Answered>;
  /** How the process ends when it is left alone: not before everything that its programs opened is closed. */
  end(): Promise<{ readonly code: number | null; readonly signal: string | null }>;
  kill(): void;
}

export function shareProcess(limitMs = 110_000): SharedProcess {
  const child = fork(fileURLToPath(new URL("program-runner.ts", import.meta.url)), [], {
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  return {
    async run(asked) {
      const limit = AbortSignal.timeout(limitMs);
      const answered = once(child, "message", { signal: limit }) as Promise<[Answered]>;
      child.send(asked);
      const [answer] = await Promise.race([
        answered,
        ended.then(([code, signal]) => {
          throw new Error(`The process ended with ${code ?? signal} in ${asked.path}.`);
        }),
      ]);
      return answer;
    },
    async end() {
      child.disconnect();
      const [code, signal] = await ended;
      return { code, signal };
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
