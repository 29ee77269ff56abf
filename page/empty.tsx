import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { call, type Failure } from "./api.ts";
import { FileChoice } from "./uploads.tsx";
import { Failed, Icon } from "./shared.tsx";
import { announced, go, libraryVersion, session, t } from "./state.ts";

/** The first screen of a library without documents. */
export function Empty(): VNode {
  const { write = false, operator = false, manual = false } = session.value ?? {};
  return (
    <div class="column empty">
      <Icon name="library" />
      <h1>{t("emptyTitle")}</h1>
      {write ? (
        <>
          <p>{t("emptyWrite")}</p>
          <FileChoice />
          {manual && <TryManual />}
        </>
      ) : (
        <p>{t(operator ? "emptyOperator" : "emptyRead")}</p>
      )}
      {operator && <pre class="code">ibid ingest ./documents</pre>}
    </div>
  );
}

/** Adds ibid's own manual, and goes to the question. */
function TryManual(): VNode {
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const add = async (): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    announced.value = t("manualAdding");
    try {
      const { documents } = (await (await call("manual", { method: "POST" })).json()) as { documents: number };
      announced.value = t("documents", { n: documents });
      libraryVersion.value += 1;
      go("./");
    } catch (error) {
      failure.value = error as Failure;
    }
    isBusy.value = false;
  };
  return (
    <>
      <p class="faint">{t("manualText")}</p>
      <p>
        <button type="button" class="plain" disabled={isBusy.value} onClick={() => void add()}>
          {t(isBusy.value ? "manualAdding" : "tryManual")}
        </button>
      </p>
      {failure.value !== undefined && <Failed failure={failure.value} />}
    </>
  );
}
