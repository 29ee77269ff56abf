/** Loaded into a process that is measured: collects garbage at SIGUSR2. */
process.on("SIGUSR2", () => (globalThis as { gc?: () => void }).gc?.());
