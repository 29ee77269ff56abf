import { operator } from "../access/gate.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Retriever, SearchWarning } from "../contracts/retriever.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { latentSemanticModel } from "../engine/latent/latent-semantic-model.ts";
import { readTime } from "../runtime/read-time.ts";
import { createModelCheck } from "./check-models.ts";
import type { ModelCheck, PastRequest, SharedParts, ViewScopes } from "./parts.ts";

/** Refuses options that speak of the newest state, beside `asOf`. **Errors** `invalid-argument`. */
function checkPastOptions(options: Pick<PastRequest, "after" | "atMostMs" | "consistency">): void {
  const named = (["after", "atMostMs", "consistency"] as const).find((name) => options[name] !== undefined);
  if (named === undefined) return;
  throw new IbidError("invalid-argument", `asOf is given beside ${named}, which speaks of the newest state.`, {
    hint: `Leave out asOf or ${named}.`,
  });
}

/**
 * The parts of a view over the knowledge base as it was. The gate is the one of today: nobody sees in the past of a scope what they may not read in it now.
 *
 * **Errors** `unsupported` for a store without former versions, and for a retriever that cannot search another store; as {@link Store.history}.
 */
export async function openPast(
  parts: SharedParts,
  { caller, readable }: ViewScopes,
  request: PastRequest,
): Promise<SharedParts> {
  const { asOf, scopes, signal } = request;
  checkPastOptions(request);
  const time = Date.parse(readTime("asOf", asOf));
  const { history } = parts.store;
  if (history === undefined) {
    throw new IbidError("unsupported", "This store keeps no former versions, so it cannot search as of a time.", {
      hint: "Use a knowledge base in a folder or in memory, opened with history: true.",
    });
  }
  checkRetriever(parts.retriever);
  const store = await history.at(await pastScopes(), time, { signal });
  return {
    ...parts,
    store,
    present: parts.present ?? parts.store,
    searched: store,
    modelCheck: pastModelCheck(parts, store),
  };

  /** The operator reads every scope; one whose documents are all deleted has a past. */
  async function pastScopes(): Promise<AuthorizedScopes> {
    const { store: present, authority } = parts;
    if (caller !== operator || scopes !== undefined) return readable(scopes);
    const held = await present.scopes(authority);
    const gone = (await present.trash?.scopes?.(authority)) ?? [];
    return readable([...new Set([...held, ...gone])]);
  }
}

/** Says where a search of the past lacks the model that the store fits itself. **Cost** a status for each search by such a model. */
function pastModelCheck(parts: SharedParts, store: Store): ModelCheck {
  const check = createModelCheck({ ...parts, wordsAlone: true }, store, () => {});
  const isFitted =
    parts.embedder === undefined && parts.wordsAlone !== true && Object.hasOwn(store.capabilities.legs, "latent");
  return {
    ...check,
    async forSearch(scopes, mode) {
      const found = await check.forSearch(scopes, mode);
      if (!isFitted || mode === "lexical" || mode === "regex") return found;
      const { chunks } = await store.status(scopes);
      return chunks < latentSemanticModel.leastChunks ? found : [...found, fitOfThePresent(scopes)];
    },
  };
}

const fitOfThePresent = ({ scopes }: AuthorizedScopes): SearchWarning => ({
  code: "fit-of-the-present",
  message: "The store's own model is fitted on the present. This search of the past went by words and forms.",
  hint: "Give an embedding model, whose vectors former versions keep, or compare with mode lexical.",
  model: "ibid/latent-semantic",
  scopes,
});

function checkRetriever(
  retriever: SharedParts["retriever"],
): asserts retriever is Exclude<typeof retriever, Retriever> {
  if (typeof retriever !== "object") return;
  throw new IbidError("unsupported", "The retriever of this knowledge base searches the present alone.", {
    hint: "Give a function from the built-in retriever to yours, or leave out asOf.",
  });
}

/** Keeps former versions from now on, or erases them. **Errors** `unsupported`. */
export async function setHistory(store: Store, authority: SharedParts["authority"], wanted: boolean): Promise<void> {
  if (store.history === undefined) {
    if (!wanted) return;
    throw new IbidError("unsupported", "This store cannot keep former versions of documents.", {
      hint: "Leave out history, or use a knowledge base in a folder or in memory. One in Postgres keeps none yet.",
    });
  }
  await store.history.keep(authority, wanted);
}
