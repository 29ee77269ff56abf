import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { createContext, h } from "preact";

export type { ComponentChildren } from "preact";

const Fallback = createContext<ComponentChildren>(null);

/** Shows `fallback` while a part within it is on its way. */
export function Suspense({
  fallback,
  children,
}: {
  readonly fallback: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return <Fallback.Provider value={fallback}>{children}</Fallback.Provider>;
}

/** A part of the page that is loaded with its first use. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<unknown> | undefined;
  return function Lazy(props: Props) {
    const ready = useSignal(loaded !== undefined);
    const fallback = useContext(Fallback);
    useEffect(() => {
      // The part may have come between the drawing and this effect.
      loading ??= load().then((part) => (loaded = part));
      loading.then(
        () => (ready.value = true),
        // The next use tries again; until then the fallback stands.
        () => (loading = undefined),
      );
    }, []);
    // Read first: a component draws itself anew for signals that it has read.
    const isReady = ready.value;
    return isReady && loaded !== undefined ? h(loaded as ComponentType<object>, props) : (fallback as VNode);
  };
}
