import type { VNode } from "preact";
import { FileChoice } from "./uploads.tsx";
import { Icon } from "./shared.tsx";
import { session, t } from "./state.ts";

/** The first screen of a library without documents. */
export function Empty(): VNode {
  const { write = false, operator = false } = session.value ?? {};
  return (
    <div class="column empty">
      <Icon name="library" />
      <h1>{t("emptyTitle")}</h1>
      {write ? (
        <>
          <p>{t("emptyWrite")}</p>
          <FileChoice />
        </>
      ) : (
        <>
          <p>{t(operator ? "emptyOperator" : "emptyRead")}</p>
          {operator && <pre class="code">ibid ingest ./documents</pre>}
        </>
      )}
    </div>
  );
}
