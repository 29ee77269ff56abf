import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../src/contracts/diagnosis.ts";
import type { Proven, Store, Upkeep } from "../../src/contracts/store.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createReport, settleStore } from "../../src/ingest/settle-store.ts";

const settledBy = (settle: Upkeep<Proven>["settle"]): Pick<Store, "upkeep"> => ({
  upkeep: { settle, scrub: async () => true, examine: async () => ({}) as Diagnosis },
});

describe("settling after an ingestion", () => {
  it("hands the signal and the progress on", async () => {
    const { signal } = new AbortController();
    const shares: number[] = [];
    const settle = async (options: object = {}): Promise<void> => {
      expect(options).toMatchObject({ signal });
      (options as { onProgress: (share: number) => void }).onProgress(0.5);
    };
    await settleStore(settledBy(settle), signal, (share) => shares.push(share));
    expect(shares).toEqual([0.5]);
  });

  it("a fit that fails fails nothing; a stop stops, and a store that is gone is told", async () => {
    const settling = (error: Error) => {
      const settle = async (): Promise<void> => {
        throw error;
      };
      return settleStore(settledBy(settle), undefined, () => {});
    };
    await settling(new RangeError("no memory"));
    for (const code of ["store-busy", "store-failed", "internal"] as const) await settling(new IbidError(code, "x"));
    for (const code of ["aborted", "timeout", "store-closed", "store-corrupt"] as const) {
      await expect(settling(new IbidError(code, "x"))).rejects.toMatchObject({ code });
    }
  });

  it("a display that throws fails nothing", () => {
    createReport(() => {
      throw new Error("no terminal");
    })({ documents: 1, chunks: 1, found: 1, complete: true });
  });
});
