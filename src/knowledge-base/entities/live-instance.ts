import type { Entities, EntityType } from "../../contracts/entity.ts";
import { toInstance } from "./to-instance.ts";

/** Makes and renews live instances. An instance that nobody holds any more is let go. */
export interface LiveInstances {
  /** A proxy over what `read` gives, which the next change of the entity exchanges. */
  add<Instance extends object>(id: string, now: Instance, read: () => Promise<Instance | undefined>): Instance;
  /** Reads the instances of some entities again. Default: of all. */
  renew(ids?: Iterable<string>): Promise<void>;
}

interface Live {
  current: object;
  readonly read: () => Promise<object | undefined>;
}

/** The live instances of one object of entities. **Cost** a renewal reads an entity once for each of its instances. */
export function createLiveInstances(): LiveInstances {
  const byId = new Map<string, Set<WeakRef<Live>>>();
  return {
    add(id, now, read) {
      const live: Live = { current: now, read };
      byId.set(id, (byId.get(id) ?? new Set()).add(new WeakRef(live)));
      return new Proxy<typeof now>({} as never, handlerOf(live));
    },
    async renew(ids = [...byId.keys()]) {
      for (const id of ids) {
        const held = byId.get(id);
        for (const reference of held ?? []) {
          const live = reference.deref();
          // An entity that is gone, or fits no more, has no property.
          if (live !== undefined) live.current = (await live.read()) ?? {};
          else held!.delete(reference);
        }
        if (held?.size === 0) byId.delete(id);
      }
    },
  };
}

/** Looks everything up in the present state. Nothing can be set, because a write goes through `upsert`. */
function handlerOf(live: Live): ProxyHandler<object> {
  return {
    get: (_, name) => Reflect.get(live.current, name) as unknown,
    has: (_, name) => Reflect.has(live.current, name),
    ownKeys: () => Reflect.ownKeys(live.current),
    getOwnPropertyDescriptor(_, name) {
      const found = Reflect.getOwnPropertyDescriptor(live.current, name);
      return found && { ...found, configurable: true };
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  };
}

/** The verbs about an entity as an object of the types that its labels name, and about one that follows its entity. */
export function createTypedInstances(
  entities: () => Entities,
  types: readonly EntityType[],
  live: LiveInstances,
): Pick<Entities, "linkedTypes" | "toTypedInstance" | "toLiveInstance"> {
  const linkedTypes: Entities["linkedTypes"] = ({ labels }) => types.filter(({ label }) => labels.includes(label));
  return {
    linkedTypes,

    async toTypedInstance(given) {
      const entity = typeof given === "string" ? await entities().get(given) : given;
      const linked = entity === undefined ? [] : linkedTypes(entity);
      return linked.length === 0 ? undefined : toInstance(entities(), entity!, linked);
    },

    async toLiveInstance(id, ...asked) {
      const read = () => entities().toInstance(id, ...asked);
      const now = await read();
      return now && (live.add(id, now, read as () => Promise<object | undefined>) as typeof now);
    },
  };
}
