/**
 * Preloaded into a process by {@link signalItself}: sends it a signal after its first line of output. A parent that waits for the line and sends
 * the signal may come too late, when the machine is busy.
 */
const { SIGNAL_ITSELF: signal } = process.env;
const write = process.stdout.write.bind(process.stdout) as (...given: unknown[]) => boolean;
if (signal !== undefined) {
  delete process.env["SIGNAL_ITSELF"];
  process.stdout.write = (...given: unknown[]) => {
    process.stdout.write = write;
    const isTaken = write(...given);
    process.kill(process.pid, signal);
    return isTaken;
  };
}

/** The environment in which a process of Node does so. */
export function signalItself(signal: NodeJS.Signals): NodeJS.ProcessEnv {
  const { NODE_OPTIONS = "" } = process.env;
  return { SIGNAL_ITSELF: signal, NODE_OPTIONS: `${NODE_OPTIONS} --import=${import.meta.url}` };
}
