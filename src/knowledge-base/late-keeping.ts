import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { KeepingParts } from "./keeping.ts";

type Late = Pick<
  KnowledgeBase,
  | "list"
  | "document"
  | "expand"
  | "outline"
  | "section"
  | "delete"
  | "deleteByFilter"
  | "status"
  | "restore"
  | "vacuum"
  | "reset"
  | "chunks"
  | "doctor"
>;

/** The verbs about documents and about keeping, loaded when one of them is first called: a page that only ingests and searches has no need of them. */
export function createLateKeeping(parts: KeepingParts): Late {
  let loaded: Promise<Late> | undefined;
  const load = async (): Promise<Late> => {
    const [{ createCatalogue }, { createKeeping }] = await Promise.all([
      import("./catalogue.ts"),
      import("./keeping.ts"),
    ]);
    return { ...createCatalogue(parts), ...createKeeping(parts) };
  };
  const verbs = (): Promise<Late> => (loaded ??= load());
  return {
    async *list() {
      yield* (await verbs()).list();
    },
    document: async (...given) => (await verbs()).document(...given),
    expand: async (...given) => (await verbs()).expand(...given),
    outline: async (...given) => (await verbs()).outline(...given),
    section: async (...given) => (await verbs()).section(...given),
    delete: async (...given) => (await verbs()).delete(...given),
    deleteByFilter: async (...given) => (await verbs()).deleteByFilter(...given),
    status: async () => (await verbs()).status(),
    restore: async (...given) => (await verbs()).restore(...given),
    vacuum: async (...given) => (await verbs()).vacuum(...given),
    reset: async (...given) => (await verbs()).reset(...given),
    async *chunks(...given) {
      yield* (await verbs()).chunks(...given);
    },
    doctor: async (...given) => (await verbs()).doctor(...given),
  };
}
