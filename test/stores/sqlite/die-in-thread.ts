// A preload that ends the process without warning in the n-th transaction of a worker thread: DIE_IN is "<n> in <statements>", "<n> before" or "<n> after" its commit.
import { StatementSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

const [nth, moment, statements] = (process.env["DIE_IN"] ?? "").split(" ");

if (!isMainThread) {
  const run = Object.getOwnPropertyDescriptor(StatementSync.prototype, "run")!.value as (
    this: StatementSync,
    ...values: unknown[]
  ) => ReturnType<StatementSync["run"]>;
  const die = (): void => void process.kill(process.pid, "SIGKILL");
  let transactions = 0;
  let ran = 0;
  StatementSync.prototype.run = function (this: StatementSync, ...values: unknown[]) {
    const isIt = transactions === Number(nth);
    const isCommit = this.sourceSQL === "COMMIT";
    if (isIt && isCommit && moment === "before") die();
    const result = run.apply(this, values);
    if (this.sourceSQL === "BEGIN IMMEDIATE") transactions++;
    else if (isIt && isCommit && moment === "after") die();
    else if (isIt && ++ran === Number(statements) && moment === "in") die();
    return result;
  };
}
