import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { createContext, h } from "preact";
import { Failure } from "./api.ts";
import { Failed } from "./shared.tsx";
import { t } from "./state.ts";

export type { ComponentChildren } from "preact";

interface Waiting {
  readonly fallback: ComponentChildren;
  /** Whether the fallback has the words of the part, and stays where the part cannot come. */
  readonly hasWords?: boolean;
}
const Fallback = createContext<Waiting>({ fallback: null });

/** Shows `fallback` while a part within it is on its way. */
export function Suspense({
  fallback,
  hasWords = false,
  children,
}: Waiting & { readonly children: ComponentChildren }): VNode {
  return <Fallback.Provider value={{ fallback, hasWords }}>{children}</Fallback.Provider>;
}

/** A part of the page that is loaded with its first use. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<unknown> | undefined;
  return function Lazy(props: Props) {
    const ready = useSignal(loaded !== undefined);
    const failure = useSignal<Failure | undefined>(undefined);
    const { fallback, hasWords = false } = useContext(Fallback);
    const begin = (): void => {
      failure.value = undefined;
      // The part may have come between the drawing and this effect.
      loading ??= load().then((part) => (loaded = part));
      loading.then(
        () => (ready.value = true),
        () => {
          loading = undefined;
          failure.value = new Failure(t("networkDown"), 0);
        },
      );
    };
    useEffect(begin, []);
    // Read first: a component draws itself anew for signals that it has read.
    const [isReady, failed] = [ready.value, failure.value];
    if (isReady && loaded !== undefined) return h(loaded as ComponentType<object>, props);
    if (failed === undefined) return fallback as VNode;
    return (
      <>
        {hasWords && fallback}
        <Failed failure={failed} onRetry={begin} />
      </>
    );
  };
}
